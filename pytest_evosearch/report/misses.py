"""The closest attempt at a target, in words: what its condition saw, in which calls."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.shown import shortened
from pytest_evosearch.core.shown import shown
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.instrument.transformation.calls import FUNCTIONS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.report.curl import path_of

MOST_CALLS = 4
"""Number of calls of the closest test that are shown: the last ones."""

MOST_SIGHTINGS = 3
"""Number of different values of one condition that are shown: the last ones."""


def nearest_miss(target: TargetId, observation: Observation) -> str:
    """Describe in one line how close `observation`, the closest test to `target`, came.

    ``saw 'archivd' == 'archived'; POST /news {"status": "archivd"} -> 400``
    """
    seen = list(dict.fromkeys(map(in_words, _sightings_of(target, observation.sightings))))
    saw = [f"saw {', '.join(seen[-MOST_SIGHTINGS:])}"] if seen else []
    return "; ".join([*saw, _calls(observation.exchanges)])


def _sightings_of(target: TargetId, sightings: Sequence[Sighting]) -> Iterator[Sighting]:
    """Yield the recorded values for `target`, else for any other side on its line.

    The parts of ``a and b`` have their own targets.
    """
    exact = [one for one in sightings if one.target == target]
    place = subject_of(target)[:2]
    yield from exact or (one for one in sightings if subject_of(one.target)[:2] == place)


def in_words(sighting: Sighting) -> str:
    """Return what a condition saw, in a form close to its source."""
    name, (first, *rest) = sighting.operation, sighting.values or ("?",)
    if sighting.kind in ("comparison", "set") and rest:
        return f"{first} {name} {rest[0]}"
    if sighting.kind == "range" and len(rest) > 1:
        first_relation, second = name.split()
        return f"{first} {first_relation} {rest[0]} {second} {rest[1]}"
    if sighting.kind == "lookup" and rest:
        return f"{rest[0]}[{first}]"
    if sighting.kind == "conversion":
        return f"{name}({first})"
    if sighting.kind == "predicate" and name in FUNCTIONS:
        return f"{name}({', '.join([first, *rest])})"
    if sighting.kind == "predicate":
        return f"{first}.{name}({', '.join(rest)})"
    return f"the value {first}"


def _calls(exchanges: Sequence[Exchange]) -> str:
    earlier = len(exchanges) - MOST_CALLS
    before = [f"{earlier} calls"] if earlier > 0 else []
    return " then ".join([*before, *(_call(one) for one in exchanges[-MOST_CALLS:])])


def _call(exchange: Exchange) -> str:
    request = exchange.request
    user = f" as {exchange.user}" if exchange.user is not None else ""
    outcome = exchange.status or "no answer"
    return f"{request.method} {shortened(path_of(request))}{_body(request)}{user} -> {outcome}"


def _body(request: Request) -> str:
    if request.has_json:
        try:
            return f" {shortened(json.dumps(request.json))}"
        except (TypeError, ValueError):
            return f" {shown(request.json)}"
    if request.form:
        return f" {shortened('&'.join(f'{name}={value}' for name, value in request.form))}"
    return f" {shown(request.text)}" if request.text is not None else ""
