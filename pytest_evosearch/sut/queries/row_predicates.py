"""The conditions of a statement on rows: how near a row is, and which value would satisfy them."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.sut.queries.relations import UNKNOWN
from pytest_evosearch.sut.queries.relations import all_of
from pytest_evosearch.sut.queries.relations import any_of
from pytest_evosearch.sut.queries.relations import holds
from pytest_evosearch.sut.queries.relations import truth_of
from pytest_evosearch.sut.queries.relations import weighed
from pytest_evosearch.sut.queries.statements import PLACEHOLDER
from pytest_evosearch.sut.queries.wishes import Wish
from pytest_evosearch.sut.queries.wishes import away
from pytest_evosearch.sut.queries.wishes import towards

PLACED = re.compile(rf"\b{PLACEHOLDER}(\d+)\b", re.IGNORECASE)


class Judged(NamedTuple):
    """The input of a judgement: the row after its outer rows, values, and rows of subqueries."""

    rows: tuple[tuple[Any, ...], ...]
    values: tuple[Any, ...]
    inner: tuple[list[tuple[Any, ...]], ...]
    known: dict[int, Truthness]
    """Number of a predicate -> its truth, where it was weighed already."""
    subqueries: dict[int, list[tuple[Truthness, Judged]]]
    """Number of a subquery -> how near its rows are."""


Operand = Callable[[Judged], Any]


Weigh = Callable[[Judged], Truthness]


Wishing = Callable[[Judged, bool], Iterator[Wish]]


class Relation(NamedTuple):
    """One comparison inside a condition."""

    relation: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Predicate:
    """One condition without ``AND``, ``OR`` and ``NOT``."""

    name: str
    wanted: bool
    """The value that the statement needs to find a row; ``NOT`` inverts it."""
    weigh: Weigh
    wishes: Wishing
    """Yields changes that make it true, or false, for a row."""
    work: int = 1
    """Number of comparisons for one row."""


@dataclass(frozen=True)
class RowQuery:
    """A query that reads rows, with ``evo_p0`` as the value of a placeholder."""

    text: str
    most: int
    apart: bool = False
    """Whether all connections get one result, so it may run on another one after a failure."""
    may_fail: bool = False
    """Whether its expressions may fail for future rows."""

    def spelled(self, values: tuple[Any, ...], marker: str) -> tuple[str, list[Any]]:
        """Return the query in a driver's form, and its parameters in order."""
        parameters = [values[int(match[1])] for match in PLACED.finditer(self.text)]
        escapes = marker == "%s" and parameters
        text = self.text.replace("%", "%%") if escapes else self.text
        return PLACED.sub(marker, text), parameters


@dataclass(frozen=True)
class Selection:
    """What is known about a statement's ``WHERE``."""

    weigh: Weigh | None
    """Judges a row; None without a condition."""
    predicates: tuple[Predicate, ...]
    rows: RowQuery
    inner: tuple[RowQuery, ...]
    is_single_row: bool
    """Whether it always returns one row, such as a count."""


def unfulfilled(predicate: Predicate, look: Judged, wanted: bool) -> Iterator[Wish]:
    """Yield changes that make a predicate `wanted` for a row where it is not."""
    truth = predicate.weigh(look)
    if (truth.of_true if wanted else truth.of_false) < COVERED:
        yield from predicate.wishes(look, wanted)


def wishes_of(relations: tuple[Relation, ...], judged: Judged, wanted: bool) -> Iterator[Wish]:
    """Yield changes that make comparisons true, or false, for a row."""
    for one in relations:
        sides = one.relation, one.left(judged), one.right(judged)
        yield from towards(*sides) if wanted else away(*sides)


def no_wishes(_judged: Judged, _wanted: bool) -> Iterator[Wish]:
    """Yield no change: none is known to help."""
    return iter(())


def weighing(relations: tuple[Relation, ...], all_needed: bool, place: int | None) -> Weigh:
    """Return a function that weighs comparisons; the database's result is at `place` of the row."""
    join = all_of if all_needed else any_of

    def weigh(judged: Judged) -> Truthness:
        sides = [(one.relation, one.left(judged), one.right(judged)) for one in relations]
        if len(sides) == 1 and place is not None:
            return weighed(*sides[0], truth_of(judged.rows[-1][place]))
        truth = join([weighed(*side, holds(*side)) for side in sides])
        if place is None:
            return truth
        return _corrected(truth, truth_of(judged.rows[-1][place]))

    return weigh


def weighed_once(weigh: Weigh, number: int, judged: Judged) -> Truthness:
    """Return how near a row is to a condition; weigh each row and condition only once."""
    truth = judged.known.get(number)
    if truth is None:
        truth = judged.known[number] = weigh(judged)
    return truth


def corrected_by_database(weigh: Weigh, place: int) -> Weigh:
    """Return a function that weighs a condition in agreement with the result at `place`."""
    return lambda judged: _corrected(weigh(judged), truth_of(judged.rows[-1][place]))


def _corrected(truth: Truthness, said: bool | None) -> Truthness:
    """Return a truth that agrees with the database's result."""
    if said is None:
        return UNKNOWN
    if said:
        return Truthness(COVERED, min(truth.of_false, 0.999))
    return Truthness(min(truth.of_true, 0.999), COVERED)


def flag(place: int) -> Weigh:
    """Return a function that only knows the database's result for a condition."""

    def weigh(judged: Judged) -> Truthness:
        truth = truth_of(judged.rows[-1][place])
        if truth is None:
            return UNKNOWN
        sides = Truthness(COVERED, REACHED_EMPTY)
        return sides if truth else sides.inverted()

    return weigh
