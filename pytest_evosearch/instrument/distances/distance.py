"""Branch distances as scores: how near operands are to a relation that is false for them.

Pure functions that never raise and never run the application's code: they only read values of
exactly known types, and return a flag for all others. Scores lie in (0, 1) and grow strictly as the
operands come closer. Formulas: A. Arcuri, TOSEM 2019, and the Truthness of the 2022 Python driver,
extended to n operands, containers and calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterable
from datetime import date
from datetime import datetime
from datetime import time
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID

from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.core.comparison_signs import ORDERINGS
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.core.scores import scaled

FLAG = REACHED_EMPTY
"""The score of a side that gives no gradient."""

AWAY = REACHED
"""The score of an equality that should be false: any change achieves it."""

CLOSEST = math.nextafter(1.0, 0.0)
"""The largest score of a side that was not taken."""

FARTHEST = math.ulp(0.0)
"""The smallest score of a side that was not taken: reached is never 0."""

LENGTH_WEIGHT = 65536
"""Weight of a length difference of 1: more than any change of a character (thesis, 2022)."""

MEMBERS = 50
"""Most members of a container that are compared with the sought value."""

LARGEST_SET = 4096
"""Largest set that is sorted to find its first members."""

WINDOW_WORK = 20_000
"""Most characters that a substring search may compare."""

LARGEST_PLAIN_GAP = 1 << 52
"""Largest integer that is exact as a float."""

NUMBERS = frozenset({int, float, bool, Decimal, Fraction})
SCALARS = NUMBERS | {complex, str, bytes, date, datetime, time, timedelta, UUID, type(None)}
"""Exact types whose operators run no code of the application."""

_MINUTE = timedelta(minutes=1)

SIZED = frozenset({str, bytes, bytearray, tuple, list, dict, set, frozenset, range})


def nearness(relation: str, left: Any, right: Any) -> float:
    """Score how near the false ``left relation right`` is to true."""
    kind = type(left)
    if kind is int and type(right) is int:
        gap: int = abs(left - right)
        # This is the usual case; a huge gap takes the careful way below.
        if 0 < gap < LARGEST_PLAIN_GAP:
            if relation in ORDERINGS:
                return 1.0 / (1.1 + gap)
            if relation == "==":
                return REACHED + (1.0 - REACHED) / (1.0 + gap)
    elif kind is str and relation == "==" and type(right) is str and left != right:
        return REACHED + (1.0 - REACHED) / (1.0 + text_difference(left, right))
    try:
        return bounded(_RULES.get(relation, _flag)(left, right))
    except Exception:  # whatever a value raises, the application must not notice it
        return FLAG


def comparison(relation: str, left: Any, right: Any, outcome: bool) -> Truthness:
    """Score both sides of a comparison with the result `outcome`."""
    if outcome:
        return Truthness(COVERED, nearness(NEGATED.get(relation, ""), left, right))
    return Truthness(nearness(relation, left, right), COVERED)


def truth_nearness(value: Any, outcome: bool) -> float:
    """Score how near `value` is to the truth value opposite to `outcome`."""
    try:
        return bounded(_towards_empty(value) if outcome else _towards_full(value))
    except Exception:
        return FLAG


def truth(value: Any, outcome: bool) -> Truthness:
    """Score both sides of the truth of `value`, which is `outcome`."""
    other = truth_nearness(value, outcome)
    return Truthness(COVERED, other) if outcome else Truthness(other, COVERED)


def bounded(score: float) -> float:
    """Keep a score strictly between 0 and 1."""
    if score >= COVERED:
        return CLOSEST
    # Not "score < FARTHEST": a NaN fails every comparison and must end here, too.
    return max(FARTHEST, score)


def _towards_empty(value: Any) -> float:
    kind = type(value)
    if kind is bool:
        return FLAG
    if kind in NUMBERS:
        return _equal(value, 0)
    if kind in SIZED:
        size: int = len(value)
        return 1.0 / (1.0 + size)
    return FLAG


def _towards_full(value: Any) -> float:
    return REACHED if type(value) in NUMBERS else FLAG


def _flag(_left: Any, _right: Any) -> float:
    return FLAG


def _away(_left: Any, _right: Any) -> float:
    return AWAY


def _equal(left: Any, right: Any) -> float:
    distance = difference(left, right)
    return FLAG if distance is None else scaled(REACHED, distance)


def _ordered(left: Any, right: Any) -> float:
    """Score an ordering: both directions are alike, because only the gap counts."""
    if type(left) is type(right) and type(left) in (str, bytes):
        gap: float | None = first_difference(left, right)
    elif type(left) is type(right) and type(left) in (tuple, list):
        return _ordered_sequences(left, right)
    else:
        gap = difference(left, right)
    return FLAG if gap is None else 1.0 / (1.1 + gap)


def _ordered_sequences(
    left: tuple[Any, ...] | list[Any], right: tuple[Any, ...] | list[Any]
) -> float:
    """Score by the first elements that differ, as in the order of sequences."""
    for ours, theirs in zip(left[:MEMBERS], right[:MEMBERS], strict=False):
        if ours is theirs:
            continue
        if type(ours) not in SCALARS or type(theirs) not in SCALARS:
            return FLAG
        if ours != theirs:
            return _ordered(ours, theirs)
    return 1.0 / (1.1 + abs(len(left) - len(right)))


def _identical(left: Any, right: Any) -> float:
    if left is None or right is None:
        return FLAG if left is right else REACHED
    return FLAG


def difference(left: Any, right: Any, depth: int = 3) -> float | None:
    """Return the distance in [0, inf] of two values, None when they are not comparable."""
    kind, other = type(left), type(right)
    if kind in NUMBERS and other in NUMBERS:
        return _number_difference(left, right)
    if kind is not other:
        return None
    measure = _MEASURES.get(kind)
    if measure is not None:
        return measure(left, right)
    if depth and kind in (tuple, list):
        return _sequence_difference(left, right, depth)
    if depth and kind in (set, frozenset):
        return _set_difference(left, right)
    if depth and kind is dict:
        return _mapping_difference(left, right, depth)
    return None


def _number_difference(left: Any, right: Any) -> float:
    if type(left) is not type(right) and Decimal in (type(left), type(right)):
        left, right = Fraction(left), Fraction(right)
    try:
        distance = float(abs(left - right))
    except OverflowError:
        return math.inf
    return math.inf if math.isnan(distance) else distance


@lru_cache(maxsize=50_000)
def text_difference(left: str, right: str) -> int:
    """Return ``65536 * |length difference| + sum |character difference|``, left aligned.

    Results are cached, because mutation often repeats values.
    """
    characters = sum(abs(ord(a) - ord(b)) for a, b in zip(left, right, strict=False))
    return LENGTH_WEIGHT * abs(len(left) - len(right)) + characters


def bytes_difference(left: bytes, right: bytes) -> int:
    """Return ``65536 * |length difference| + sum |byte difference|``, left aligned."""
    octets = sum(abs(a - b) for a, b in zip(left, right, strict=False))
    return LENGTH_WEIGHT * abs(len(left) - len(right)) + octets


def first_difference(left: str | bytes, right: str | bytes) -> int:
    """Return the distance of the first differing characters; for a proper prefix it is 1."""
    pairs: Iterable[tuple[Any, Any]] = zip(left, right, strict=False)
    for a, b in pairs:
        if a != b:
            return abs(_number_of(a) - _number_of(b))
    return 0 if len(left) == len(right) else 1


def _number_of(character: str | int) -> int:
    return ord(character) if isinstance(character, str) else character


def _time_seconds(moment: time) -> float:
    return (moment.hour * 60 + moment.minute) * 60 + moment.second + moment.microsecond / 1e6


def _minutes(span: timedelta) -> float:
    """Count whole minutes.

    Applications compare times with the time of the request. In microseconds, a test's distance
    would differ at each execution, and no seed would produce one suite twice.
    """
    return float(abs(span) // _MINUTE)


_MEASURES: dict[type, Callable[..., float]] = {
    str: text_difference,
    bytes: bytes_difference,
    complex: lambda left, right: abs(left - right),
    date: lambda left, right: float(abs(left.toordinal() - right.toordinal())),
    datetime: lambda left, right: _minutes(left - right),
    time: lambda left, right: abs(_time_seconds(left) - _time_seconds(right)),
    timedelta: lambda left, right: _minutes(left - right),
    UUID: lambda left, right: float(abs(left.int - right.int)),
}


def _sequence_difference(
    left: tuple[Any, ...] | list[Any], right: tuple[Any, ...] | list[Any], depth: int
) -> float:
    """Count the missing elements, and for each other one the share by which it differs."""
    elements = 0.0
    for ours, theirs in zip(left[:MEMBERS], right[:MEMBERS], strict=False):
        distance = 0.0 if ours is theirs else difference(ours, theirs, depth - 1)
        elements += 1.0 if distance is None else _share(distance)
    return abs(len(left) - len(right)) + elements


def _share(distance: float) -> float:
    return 1.0 if distance == math.inf else distance / (distance + 1.0)


def _set_difference(
    left: set[Any] | frozenset[Any], right: set[Any] | frozenset[Any]
) -> float | None:
    if not (_only_scalars(left) and _only_scalars(right)):
        return None
    return float(len(left ^ right))


def _mapping_difference(left: dict[Any, Any], right: dict[Any, Any], depth: int) -> float | None:
    if not (_only_scalars(left) and _only_scalars(right)):
        return None
    total = float(len(left.keys() ^ right.keys()))
    for key, ours in left.items():
        if key in right:
            distance = 0.0 if ours is right[key] else difference(ours, right[key], depth - 1)
            total += 1.0 if distance is None else _share(distance)
    return total


def _only_scalars(
    members: set[Any] | frozenset[Any] | dict[Any, Any],
) -> bool:
    return len(members) <= LARGEST_SET and all(type(member) in SCALARS for member in members)


def _contained(value: Any, container: Any) -> float:
    kind = type(container)
    if kind in (str, bytes) and type(value) is kind:
        return _within_text(value, container)
    if kind is range and type(value) is int:
        return _within_range(value, container)
    found = members(container, MEMBERS)
    if not found or value is None:
        return FLAG
    return max(_equal(value, member) for member in found)


def _within_range(value: int, numbers: range) -> float:
    if not numbers:
        return FLAG
    nearest = min(max(value, min(numbers[0], numbers[-1])), max(numbers[0], numbers[-1]))
    position = (nearest - numbers[0]) // numbers.step
    around = (numbers[max(position, 0)], numbers[min(position + 1, len(numbers) - 1)])
    return max(_equal(value, number) for number in around)


def members(container: Any, limit: int) -> tuple[Any, ...]:
    """Return the first members of a known container, in an order independent of hashes."""
    kind = type(container)
    if kind in (tuple, list):
        return tuple(container[:limit])
    if kind is dict or kind is type({}.keys()):
        return tuple(key for _, key in zip(range(limit), list(container), strict=False))
    if kind in (set, frozenset) and _only_scalars(container):
        ordered = sorted(container, key=lambda each: (type(each).__name__, repr(each)))
        return tuple(ordered[:limit])
    return ()


def _within_text(sought: str | bytes, text: str | bytes) -> float:
    """Score by the best window of equal length."""
    size = len(sought)
    if size >= len(text):
        return _equal(sought, text)
    windows = min(len(text) - size + 1, max(1, WINDOW_WORK // size))
    return max(_equal(sought, text[start : start + size]) for start in range(windows))


_RULES: dict[str, Callable[[Any, Any], float]] = {
    "==": _equal,
    "!=": _away,
    "<": _ordered,
    "<=": _ordered,
    ">": _ordered,
    ">=": _ordered,
    "is": _identical,
    "is not": _flag,
    "in": _contained,
    "not in": _away,
}
