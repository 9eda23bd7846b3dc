"""Puts rows into tables, through the project's models where it has some."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import Context

from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import RowFamily
from pytest_evosearch.sut.rows.kinds import RowToPlace


class RowPlacer:
    """Adds rows as a test of the project would."""

    def __init__(self, families: Sequence[RowFamily]) -> None:
        self._family_of = {model.name: family for family in families for model in family.models}

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
        """Add rows in their order, all of them or none; None where the database refuses them.

        Rows of two families are refused, too: one of them could be left over by the other.
        """
        families = {id(self._family_of[row.model]): self._family_of[row.model] for row in rows}
        if len(families) != 1:
            return None
        [family] = families.values()
        return Context().run(_placed, family, rows)


def _placed(family: RowFamily, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
    try:
        return family.place(rows)
    except Exception:  # constraints, validators of the project: such a row there cannot be
        return None
