"""An executed test of a unit, with everything that its text needs."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.units.related_pairs import Relation
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import variables_of


@dataclass(frozen=True)
class UnitSpecimen:
    """One test that is worth writing."""

    test: UnitTest
    units: Mapping[str, Unit]
    result: Result
    """What the tested call did."""
    targets: frozenset[TargetId] = frozenset()
    fault: str = ""
    """Why the result is a fault; empty for none."""
    relation: Relation | None = None
    """What holds for the values of all `rows`; None for a test of one result."""
    rows: tuple[UnitSpecimen, ...] = ()
    idle: frozenset[str] = frozenset()
    """Options of the tested call without which the result is the same."""

    @property
    def unit(self) -> Unit:
        """Return the unit that is tested."""
        return self.units[self.test.act.unit]

    @property
    def variables(self) -> dict[str, object]:
        """Return the environment variables that are set for the calls."""
        found: dict[str, object] = {}
        for call in self.test.calls:
            found |= variables_of(self.units[call.unit], call.values())
        return found
