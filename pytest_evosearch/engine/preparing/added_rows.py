"""Connects the project's models to the rows that the problem varies and tests insert."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from pytest_evosearch.problem.http.composing.rows import RowKind
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.sut.rows.kinds import RowFamily
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.placing import RowPlacer


def row_kinds(families: Sequence[RowFamily]) -> list[RowKind]:
    """Return which rows the problem may add."""
    return [
        RowKind(
            one.name,
            one.table,
            one.gene,
            tuple(dict.fromkeys(each.model for each in one.parents.values() if each.needed)),
        )
        for family in families
        for one in family.models
    ]


def placing_rows(
    families: Sequence[RowFamily],
) -> Callable[[Sequence[PlacedRow]], tuple[PlacedRow, ...]]:
    """Return a function that puts rows into tables, all of them or none."""
    placer = RowPlacer(families)

    def place(rows: Sequence[PlacedRow]) -> tuple[PlacedRow, ...]:
        placed = placer.place([RowToPlace(row.model, dict(row.values)) for row in rows])
        return tuple(
            PlacedRow(one.model, one.values, one.temporal, one.parents, one.store)
            for one in placed or ()
        )

    return place
