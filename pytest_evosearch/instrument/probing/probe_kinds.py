"""The probe of each kind of condition, by its name in a plan."""

from __future__ import annotations

from pytest_evosearch.instrument.probing.conditions import ComparisonProbe
from pytest_evosearch.instrument.probing.conditions import PredicateProbe
from pytest_evosearch.instrument.probing.conditions import TruthProbe
from pytest_evosearch.instrument.probing.probes import ConditionProbe
from pytest_evosearch.instrument.probing.ranges import RangeProbe
from pytest_evosearch.instrument.probing.set_conditions import SetProbe
from pytest_evosearch.instrument.probing.taps import CompletionProbe
from pytest_evosearch.instrument.probing.taps import ConversionProbe
from pytest_evosearch.instrument.probing.taps import LookupProbe
from pytest_evosearch.instrument.probing.taps import SwallowProbe

KINDS: dict[str, type[ConditionProbe]] = {
    "comparison": ComparisonProbe,
    "range": RangeProbe,
    "truth": TruthProbe,
    "set": SetProbe,
    "predicate": PredicateProbe,
    "conversion": ConversionProbe,
    "lookup": LookupProbe,
    "completion": CompletionProbe,
    "swallow": SwallowProbe,
}
