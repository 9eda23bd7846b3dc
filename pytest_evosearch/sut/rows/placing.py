"""Puts rows into tables, through the project's models and its session."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from datetime import date
from datetime import datetime
from typing import Any
from typing import NamedTuple

from pytest_evosearch.sut.rows.models import DAY
from pytest_evosearch.sut.rows.models import ProjectModels
from pytest_evosearch.sut.rows.models import RowModel


class RowToPlace(NamedTuple):
    """A row as a test wants it."""

    model: str
    values: dict[str, object]


class FoundRow(NamedTuple):
    """A row as it was placed: what a written test needs to do the same."""

    model: str
    values: dict[str, object]
    """By attribute; those of `temporal` as texts."""
    temporal: dict[str, str]
    parents: dict[str, tuple[int, str]]
    """Attribute -> position of the row placed before, and its attribute that is referred to."""
    session: str


class RowPlacer:
    """Adds rows as a test of the project would."""

    def __init__(self, app: Any, project: ProjectModels) -> None:
        self._app = app
        self._project = project
        self._models = {model.name: model for model in project.models}

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
        """Add rows in their order, all of them or none; None where the database refuses them."""
        return Context().run(self._place, rows)

    def _place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...] | None:
        with self._app.app_context():
            session = self._project.extension.session
            try:
                placed = self._added(session, rows)
                session.commit()
            except Exception:  # constraints, validators of the project: such a row there cannot be
                with suppress(Exception):
                    session.rollback()
                return None
            finally:
                with suppress(Exception):
                    session.remove()
            return placed

    def _added(self, session: Any, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...]:
        made: list[tuple[str, Any]] = []
        found = []
        for row in rows:
            model = self._models[row.model]
            known = {name: value for name, value in row.values.items() if _takes(model, name)}
            links, existing = self._parents(session, model, made)
            values = {name: _converted(model, name, value) for name, value in known.items()}
            for name, (place, attribute) in links.items():
                values[name] = getattr(made[place][1], attribute)
            instance = model.kind(**values, **existing)
            session.add(instance)
            session.flush()
            made.append((model.name, instance))
            temporal = {name: kind for name, kind in model.temporal.items() if name in known}
            found.append(
                FoundRow(model.name, {**known, **existing}, temporal, links, self._project.session)
            )
        return tuple(found)

    def _parents(
        self, session: Any, model: RowModel, made: list[tuple[str, Any]]
    ) -> tuple[dict[str, tuple[int, str]], dict[str, object]]:
        """Return which rows placed before are referred to, and keys of rows that were there."""
        links: dict[str, tuple[int, str]] = {}
        existing: dict[str, object] = {}
        for name, parent in model.parents.items():
            places = [at for at, (kind, _) in enumerate(made) if kind == parent.model]
            if places:
                links[name] = places[-1], parent.attribute
            elif parent.needed:
                kind = self._models[parent.model].kind
                column = getattr(kind, parent.attribute)
                key = session.query(column).order_by(column).limit(1).scalar()
                existing[name] = key
        return links, existing


def _takes(model: RowModel, name: str) -> bool:
    return model.gene.field(name) is not None


def _converted(model: RowModel, name: str, value: object) -> object:
    kind = model.temporal.get(name)
    if kind is None or not isinstance(value, str):
        return value
    return date.fromisoformat(value) if kind == DAY else datetime.fromisoformat(value)
