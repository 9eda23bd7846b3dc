"""Scores how near values of a database are to a relation that is false for them.

These are pure functions of values that drivers return; statements are not involved. A truth is the
pair (of_true, of_false) of `core.scores`. The actual side has 1; with SQL's NULL, neither has.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.core.comparison_signs import SIGNS
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.core.scores import scaled
from pytest_evosearch.instrument.distances.distance import nearness
from pytest_evosearch.instrument.distances.pattern_distance import pattern_distance

UNKNOWN = Truthness(1e-9, 1e-9)
"""SQL's NULL: neither true nor false, and farther from each than any value."""

LIKE = "like"
MATCHES = "matches"
"""Relations of a text to a ``LIKE`` pattern, and to a regular expression."""


def truth_of(judged: Any) -> bool | None:
    """Return a condition's value from a database; some databases return numbers."""
    return None if judged is None else bool(judged)


def all_of(truths: list[Truthness]) -> Truthness:
    """Return the truth of conditions joined by ``AND``."""
    if len(truths) == 1:
        return truths[0]
    of_true = sum(one.of_true for one in truths) / len(truths)
    return Truthness(of_true, max(one.of_false for one in truths))


def any_of(truths: list[Truthness]) -> Truthness:
    """Return the truth of conditions joined by ``OR``."""
    return all_of([one.inverted() for one in truths]).inverted()


def weighed(relation: str, left: Any, right: Any, holds: bool | None) -> Truthness:
    """Return the truth of a relation whose value is known."""
    if holds is None:
        return UNKNOWN
    if holds:
        return Truthness(COVERED, near(NEGATED.get(relation, ""), left, right))
    return Truthness(near(relation, left, right), COVERED)


def holds(relation: str, left: Any, right: Any) -> bool | None:
    """Say whether a relation is true, as well as possible without the database."""
    if left is None or right is None:
        return None
    left, right = comparable(left, right)
    try:
        if relation == "in":
            return any(holds("==", left, member) for member in right)
        if relation in (LIKE, MATCHES):
            return _pattern(relation, str(right)).search(str(left)) is not None
        return bool(SIGNS[relation].operate(left, right))
    except (TypeError, KeyError, re.error):
        return None


def near(relation: str, left: Any, right: Any) -> float:
    """Score how near the false ``left relation right`` is to true."""
    if left is None or right is None or not relation:
        return REACHED if relation else REACHED_EMPTY
    left, right = comparable(left, right)
    if relation == "in" and isinstance(right, (list, tuple)):
        return max((near("==", left, member) for member in right[:50]), default=REACHED_EMPTY)
    if relation in (LIKE, MATCHES):
        return _near_pattern(relation, left, right)
    return nearness(relation, left, right)


def _near_pattern(relation: str, text: Any, pattern: Any) -> float:
    if not isinstance(text, str) or not isinstance(pattern, str):
        return REACHED_EMPTY
    source = pattern_of_like(pattern) if relation == LIKE else pattern
    distance = pattern_distance("search", source, re.IGNORECASE | re.DOTALL, text)
    return REACHED if distance is None else min(scaled(REACHED, distance), 0.999)


@lru_cache(maxsize=2048)
def _pattern(relation: str, pattern: str) -> re.Pattern[str]:
    source = pattern_of_like(pattern) if relation == LIKE else pattern
    return re.compile(source, re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=2048)
def pattern_of_like(pattern: str) -> str:
    """Return the regular expression for a ``LIKE`` pattern; a backslash escapes in it."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    source = "".join(_LIKE.get(part, re.escape(part[-1])) for part in parts)
    return f"^{source}$".removeprefix("^.*").removesuffix(".*$") or ".*"


_LIKE = {"%": ".*", "_": "."}


def comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Convert two values to one type where a database compares across types."""
    if type(left) is type(right) and type(left) is not str:
        return left, right
    if isinstance(left, str) and isinstance(right, str):
        moments = _moment(left), _moment(right)
        return moments if None not in moments else (left, right)
    if isinstance(left, datetime.date) or isinstance(right, datetime.date):
        moments = _moment(left), _moment(right)
        return moments if None not in moments else (left, right)
    if isinstance(left, str) and isinstance(right, (int, float, Decimal)):
        return _number(left), right
    if isinstance(right, str) and isinstance(left, (int, float, Decimal)):
        return left, _number(right)
    if isinstance(left, str) or isinstance(right, str):
        return str(left), str(right)
    return left, right


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


_SHORTEST_DAY = 8


def _moment(value: Any) -> Any:
    """Return a date or time, or its text, as a time without a zone."""
    if isinstance(value, str):
        return _moment_of_text(value) if len(value) >= _SHORTEST_DAY else None
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)
    return None


@lru_cache(maxsize=2048)
def _moment_of_text(text: str) -> datetime.datetime | None:
    if not text[:4].isdigit():
        return None
    try:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None
