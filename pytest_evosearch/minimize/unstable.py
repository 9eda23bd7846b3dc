"""Finds the facts of a response that change in repetitions, so that no test asserts them.

A test is repeated in conditions that each change one thing: nothing ("again"), the clock ("clock"),
the seed of random numbers ("random"), or anything else that the caller names. Facts that differ
from the reference are unstable:

    facts     ("status",) · ("header", "Location") · ("json", *path) · ("text",)
    reasons   moved by the clock, not by the seed    "changes with the clock"
              moved by the seed, not by the clock    "changes with the random seed"
              moved by both, not by repetition       "changes with the clock and the random seed"
              moved by anything else with a name     "changes with <condition>"
              moved by repetition alone, or by all   "changes between runs"
              a status that repetition moves         "changes between runs"

JSON is compared by structure.  A list of another length, an object with other keys and a
value of another type are unstable as a whole, and so is each element of a list that comes in
another order; otherwise only the leaves that differ are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response

FactPath: TypeAlias = "tuple[str | int, ...]"
"""A place in a response: ("status",), ("header", "Location"), ("json", "items", 0), ("text",)."""

STATUS: FactPath = ("status",)
LOCATION: FactPath = ("header", "Location")
JSON: FactPath = ("json",)
TEXT: FactPath = ("text",)

AGAIN = "again"
CLOCK = "clock"
RANDOM = "random"

DEEPEST = 50
"""Most levels of JSON that are distinguished; deeper parts are one fact, which no test asserts."""

CHANGES_BETWEEN_RUNS = "changes between runs"

_SUBJECTS = {
    CLOCK: "the clock",
    RANDOM: "the random seed",
    "hashseed": "the hash seed",
    "order": "the order of tests",
    "timezone": "the time zone",
}
"""Phrases for conditions in reasons; other conditions have their own names."""


@dataclass(frozen=True)
class Repetition:
    """The exchanges of one repetition of a test."""

    condition: str
    """What differed: ``again`` (nothing), ``clock``, ``random`` or another name."""
    exchanges: Sequence[Exchange]


def unstable_facts(
    reference: Sequence[Exchange], repetitions: Sequence[Repetition]
) -> Mapping[tuple[int, FactPath], str]:
    """Return the facts that some repetition contradicts, each with the reason.

    Keys are (index of the call, fact), by call and then in the order of the response. A status that
    differs makes the test flaky; other facts of its response are ignored.
    """
    conditions: dict[tuple[int, FactPath], dict[str, None]] = {}
    for repetition in repetitions:
        for fact in _differences(reference, repetition.exchanges):
            conditions.setdefault(fact, {})[repetition.condition] = None
    ordered = sorted(conditions, key=lambda fact: fact[0])
    return {fact: _reason(fact[1], list(conditions[fact])) for fact in ordered}


def _reason(fact: FactPath, conditions: list[str]) -> str:
    moved_by_seed, moved_by_clock = RANDOM in conditions, CLOCK in conditions
    # A random status differs with a moved clock, too, every other time.
    if AGAIN in conditions and (moved_by_clock == moved_by_seed or fact == STATUS):
        return CHANGES_BETWEEN_RUNS
    if moved_by_clock or moved_by_seed:
        causes = [name for name in (CLOCK, RANDOM) if name in conditions]
    else:
        causes = [name for name in conditions if name != AGAIN]
    return "changes with " + " and ".join(_SUBJECTS.get(name, name) for name in causes)


def _differences(
    reference: Sequence[Exchange], repeated: Sequence[Exchange]
) -> Iterator[tuple[int, FactPath]]:
    for index, exchange in enumerate(reference):
        if index >= len(repeated):
            yield index, STATUS
            continue
        for fact in differing_facts(exchange, repeated[index]):
            yield index, fact


def differing_facts(left: Exchange, right: Exchange) -> Iterator[FactPath]:
    """Yield the places in which two answers to one request differ."""
    if left.status != right.status:
        yield STATUS
        return
    if left.response is None or right.response is None:
        if left.response is not right.response:
            yield STATUS
        return
    for place, asked in enumerate(left.outgoing):
        if not (place < len(right.outgoing) and asked.asks_like(right.outgoing[place])):
            yield "outgoing", place
    if left.response.location != right.response.location:
        yield LOCATION
    yield from _differing_bodies(left.response, right.response)


def _differing_bodies(left: Response, right: Response) -> Iterator[FactPath]:
    if left.body == right.body:
        return
    if not left.is_json:
        yield TEXT
        return
    try:
        expected = left.json()
    except (ValueError, RecursionError):
        yield TEXT
        return
    try:
        found = right.json()
    except (ValueError, RecursionError):
        yield JSON
        return
    yield from _differing_values(expected, found, JSON)


def _differing_values(left: object, right: object, path: FactPath) -> Iterator[FactPath]:
    if len(path) > DEEPEST:
        if repr(left) != repr(right):
            yield path
    elif isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for key, value in left.items():
            yield from _differing_values(value, right[key], (*path, key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        if left != right and _is_another_order(left, right):
            yield from ((*path, index) for index in range(len(left)))
            return
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differing_values(one, other, (*path, index))
    elif not _same(left, right):
        yield path


def _is_another_order(left: list[object], right: list[object]) -> bool:
    """Say whether two lists hold equal items in another order: then no place in them is stable."""
    return sorted(map(repr, left)) == sorted(map(repr, right))


def _same(left: object, right: object) -> bool:
    """Say whether two leaves are equal and of one type (true is not 1, NaN equals NaN)."""
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return type(left) is type(right) and left == right
