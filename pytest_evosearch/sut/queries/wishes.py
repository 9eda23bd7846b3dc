"""Which value would change the outcome of a statement's condition."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.sut.queries.relations import LIKE
from pytest_evosearch.sut.queries.relations import MATCHES
from pytest_evosearch.sut.queries.relations import pattern_of_like


class Wish(NamedTuple):
    """A comparison that should be true; a call sent the observed or the wanted value."""

    relation: str
    observed: Any
    wanted: Any


def towards(relation: str, left: Any, right: Any) -> Iterator[Wish]:
    """Yield wishes that make ``left relation right`` true."""
    if relation == LIKE:
        if isinstance(right, str):
            yield from _towards_like(left, right)
    elif relation == MATCHES:
        yield Wish("search", left, right)
    elif relation == "in":
        yield Wish("in", left, tuple(right) if isinstance(right, (list, tuple)) else right)
    elif relation == "!=":
        yield from away("==", left, right)
    else:
        yield Wish(relation, left, right)


def _towards_like(left: Any, pattern: str) -> Iterator[Wish]:
    """Yield texts that match the pattern, then patterns that match the value."""
    inner = pattern.strip("%")
    if re.search(r"[%_\\]", inner):
        yield Wish("fullmatch", left, pattern_of_like(pattern))
    elif pattern == inner:
        yield Wish("==", left, pattern)
    elif pattern.startswith("%"):
        yield Wish("contains" if pattern.endswith("%") else "endswith", left, inner)
    else:
        yield Wish("startswith", left, inner)
    if isinstance(left, str):
        yield Wish("==", inner, left)


def away(relation: str, left: Any, right: Any) -> Iterator[Wish]:
    """Yield wishes that make ``left relation right`` false."""
    if relation == "==":
        for other in _others(right):
            yield Wish("==", left, other)
            yield Wish("==", right, other)
    elif relation in NEGATED and relation != "in":
        yield from towards(NEGATED[relation], left, right)


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        yield value + 1
        yield value - 1
    elif isinstance(value, str):
        yield value + "a"
    elif isinstance(value, datetime.date):
        yield value + datetime.timedelta(days=1)
