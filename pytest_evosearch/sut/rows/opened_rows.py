"""Adds rows through the project's own session or connection."""

from __future__ import annotations

from abc import ABC
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import Openings
from pytest_evosearch.sut.rows.kinds import RowModel
from pytest_evosearch.sut.rows.kinds import RowToPlace


class OpenedRows(ABC):
    """Adds rows of some models through the first opening that accepts them."""

    def __init__(self, models: tuple[RowModel, ...], openings: Openings) -> None:
        self._models = {model.name: model for model in models}
        self._openings = openings

    @property
    def models(self) -> tuple[RowModel, ...]:
        """Return the models, or the tables without models."""
        return tuple(self._models.values())

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...]:
        """Add rows, all or none of them."""
        return self._openings.first(partial(self._placed, rows))

    @abstractmethod
    def _placed(
        self, rows: Sequence[RowToPlace], opened: Any, store: RowStore, /
    ) -> tuple[FoundRow, ...]:
        """Add rows through the object of an opening."""
