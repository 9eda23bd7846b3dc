"""Scores how near database rows are to a statement's condition, and finds helpful values."""

from __future__ import annotations

from typing import Any
from typing import Protocol

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.instrument.distances.distance import bounded
from pytest_evosearch.sut.queries.row_predicates import Judged
from pytest_evosearch.sut.queries.row_predicates import Predicate
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.row_predicates import Selection
from pytest_evosearch.sut.queries.row_predicates import unfulfilled
from pytest_evosearch.sut.queries.wishes import Wish

NEAREST = 3
"""Most rows that give hints."""

MOST_WISHES = 12
"""Most hints from one look at a statement."""


class RowsUnavailableError(Exception):
    """Says that rows cannot be read now: a cursor is active, or the transaction has failed."""


class RowReader(Protocol):
    """Reads rows through the connection that runs the statement."""

    def read(self, query: RowQuery, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the rows; raise every error."""
        ...


@dataclass(frozen=True)
class Verdict:
    """What the rows of one look say about a statement."""

    looks: int
    """Number of rows that were read."""
    finds: bool
    """Whether some of these rows satisfy the condition."""
    near_rows: float
    """How near the nearest row is to the condition, 0 to 1."""
    near_none: float
    """How near the statement is to finding no row."""
    predicates: tuple[Truthness, ...]
    """For each condition, the best truth of any row."""
    wishes: tuple[Wish, ...]
    """Changes after which a row would satisfy the condition, the nearest rows first."""
    leaving: tuple[Wish, ...]
    """Changes after which no row would satisfy the condition any more."""
    of_predicates: tuple[tuple[tuple[Wish, ...], tuple[Wish, ...]], ...]
    """For each condition, changes that make it true of the first rows, and those for false."""


def judged_rows(selection: Selection, reader: RowReader, values: tuple[Any, ...]) -> Verdict:
    """Read the rows of a statement, and judge them."""
    rows = reader.read(selection.rows, values)
    inner = tuple(reader.read(query, values) for query in selection.inner) if rows else ()
    if selection.weigh is None:
        return Verdict(
            len(rows), bool(rows), REACHED_EMPTY, _fewer(len(rows), REACHED), (), (), (), ()
        )
    looks = [Judged((row,), values, inner, {}, {}) for row in rows]
    truths = [selection.weigh(look) for look in looks]
    found = [truth for truth in truths if truth.of_true >= COVERED]
    missed = sorted(
        (index for index, truth in enumerate(truths) if truth.of_true < COVERED),
        key=lambda index: -truths[index].of_true,
    )
    nearest = [looks[index] for index in missed[:NEAREST]]
    best = truths[missed[0]].of_true if missed else 0.0
    leaving = sum(truth.of_false for truth in found) / len(found) if found else REACHED
    weighed = [[one.weigh(look) for look in looks] for one in selection.predicates]
    return Verdict(
        len(rows),
        bool(found),
        _scaled(best) if rows else REACHED_EMPTY,
        _fewer(len(found), leaving),
        tuple(map(_best, weighed)),
        () if found else _wishes(selection.predicates, nearest),
        _leaving(selection.predicates, looks, truths) if found else (),
        tuple(
            (_wishes((one,), looks[:NEAREST], True), _wishes((one,), looks[:NEAREST], False))
            for one in selection.predicates
        ),
    )


def _leaving(
    predicates: tuple[Predicate, ...], looks: list[Judged], truths: list[Truthness]
) -> tuple[Wish, ...]:
    """Return changes that make one predicate false for a row that satisfies all of them."""
    found: dict[str, Wish] = {}
    look = next(one for one, truth in zip(looks, truths, strict=True) if truth.of_true >= COVERED)
    for one in predicates:
        for wish in unfulfilled(one, look, not one.wanted):
            found.setdefault(repr(wish), wish)
    return tuple(found.values())[:MOST_WISHES]


def _best(truths: list[Truthness]) -> Truthness:
    return Truthness(
        max((one.of_true for one in truths), default=0.0),
        max((one.of_false for one in truths), default=0.0),
    )


def _scaled(of_true: float) -> float:
    return bounded(REACHED + (1.0 - REACHED) * of_true)


def _fewer(rows: int, leaving: float) -> float:
    """Score how near these rows are to none: few rows, and rows near to leaving, score high."""
    return bounded(REACHED + (1.0 - REACHED) * leaving / max(1, rows))


def _wishes(
    predicates: tuple[Predicate, ...], looks: list[Judged], wanted: bool | None = None
) -> tuple[Wish, ...]:
    """Return changes that bring rows nearer.

    Predicates change as the statement needs them, or to `wanted`.
    """
    found: dict[str, Wish] = {}
    for look in looks:
        for one in predicates:
            for wish in unfulfilled(one, look, one.wanted if wanted is None else wanted):
                found.setdefault(repr(wish), wish)
        if len(found) >= MOST_WISHES:
            break
    return tuple(found.values())[:MOST_WISHES]
