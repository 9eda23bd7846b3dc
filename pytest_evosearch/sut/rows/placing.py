"""Stores rows in tables, through the project's models where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import Context

from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import RowFamily
from pytest_evosearch.sut.rows.kinds import RowToPlace


class RowPlacer:
    """Adds rows in the way of the project's own tests."""

    def __init__(self, families: Sequence[RowFamily]) -> None:
        self._family_of = {model.name: family for family in families for model in family.models}

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
        """Add all rows in order, or none of them; return None where the database refuses them.

        Rows of two families are refused, too: after a failure of one, rows of the other could
        remain.
        """
        families = {id(self._family_of[row.model]): self._family_of[row.model] for row in rows}
        if len(families) != 1:
            return None
        [family] = families.values()
        return Context().run(_placed, family, rows)


def _placed(family: RowFamily, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
    try:
        return family.place(rows)
    except Exception:  # constraints and validators of the project: this row cannot exist
        return None
