"""What a statement asks of rows, how near a row is to it, and which value would fulfil it."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from typing import NamedTuple

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
    """What a row is judged with: itself behind the rows around it, values, rows of subqueries."""

    rows: tuple[tuple[Any, ...], ...]
    values: tuple[Any, ...]
    inner: tuple[list[tuple[Any, ...]], ...]
    known: dict[int, Truthness]
    """Truths of predicates that were weighed already, by their numbers."""
    subqueries: dict[int, list[tuple[Truthness, Judged]]]
    """How near the rows of subqueries are, by their numbers."""


Operand = Callable[[Judged], Any]


Weigh = Callable[[Judged], Truthness]


Wishing = Callable[[Judged, bool], Iterator[Wish]]


class Relation(NamedTuple):
    """One comparison inside of a condition."""

    relation: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Predicate:
    """One condition without ``AND``, ``OR`` and ``NOT``."""

    name: str
    wanted: bool
    """What it is to be for the statement to find a row; ``NOT`` turns it round."""
    weigh: Weigh
    wishes: Wishing
    """Yields what would make it true, or false, for a row."""
    work: int = 1
    """Comparisons that one row takes."""


@dataclass(frozen=True)
class RowQuery:
    """A query that reads rows, with ``evo_p0`` for the value of a placeholder."""

    text: str
    most: int
    apart: bool = False
    """It asks what holds for all connections, and may run on another one where one has failed."""
    may_fail: bool = False
    """Its calculations may fail for rows that are not there yet."""

    def spelled(self, values: tuple[Any, ...], marker: str) -> tuple[str, list[Any]]:
        """Return the query as a driver wants it, and its parameters in order."""
        parameters = [values[int(match[1])] for match in PLACED.finditer(self.text)]
        escapes = marker == "%s" and parameters
        text = self.text.replace("%", "%%") if escapes else self.text
        return PLACED.sub(marker, text), parameters


@dataclass(frozen=True)
class Selection:
    """What is known of a statement's ``WHERE``."""

    weigh: Weigh | None
    """Judges a row; None where there is no condition."""
    predicates: tuple[Predicate, ...]
    rows: RowQuery
    inner: tuple[RowQuery, ...]
    is_single_row: bool
    """It always returns one row, a count for example, however many it has looked at."""


def unfulfilled(predicate: Predicate, look: Judged, wanted: bool) -> Iterator[Wish]:
    """Yield what would make a predicate `wanted` of a row for which it is not."""
    truth = predicate.weigh(look)
    if (truth.of_true if wanted else truth.of_false) < COVERED:
        yield from predicate.wishes(look, wanted)


def wishes_of(relations: tuple[Relation, ...], judged: Judged, wanted: bool) -> Iterator[Wish]:
    """Yield what would make comparisons true, or false, of a row."""
    for one in relations:
        sides = one.relation, one.left(judged), one.right(judged)
        yield from towards(*sides) if wanted else away(*sides)


def no_wishes(_judged: Judged, _wanted: bool) -> Iterator[Wish]:
    """Yield nothing: no value is known to help."""
    return iter(())


def weighing(relations: tuple[Relation, ...], all_needed: bool, place: int | None) -> Weigh:
    """Return what weighs comparisons; the database says at `place` whether they hold."""
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
    """Return how near a row is to a condition; of each row and condition it is weighed once."""
    truth = judged.known.get(number)
    if truth is None:
        truth = judged.known[number] = weigh(judged)
    return truth


def corrected_by_database(weigh: Weigh, place: int) -> Weigh:
    """Return what weighs a condition and agrees with what the database says at `place`."""
    return lambda judged: _corrected(weigh(judged), truth_of(judged.rows[-1][place]))


def _corrected(truth: Truthness, said: bool | None) -> Truthness:
    """Return a truth so that it agrees with what the database says."""
    if said is None:
        return UNKNOWN
    if said:
        return Truthness(COVERED, min(truth.of_false, 0.999))
    return Truthness(min(truth.of_true, 0.999), COVERED)


def flag(place: int) -> Weigh:
    """Return what knows of a condition only what the database says of it."""

    def weigh(judged: Judged) -> Truthness:
        truth = truth_of(judged.rows[-1][place])
        if truth is None:
            return UNKNOWN
        sides = Truthness(COVERED, REACHED_EMPTY)
        return sides if truth else sides.inverted()

    return weigh
