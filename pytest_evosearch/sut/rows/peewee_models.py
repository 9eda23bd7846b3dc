"""Reads peewee models, and creates rows through them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import suppress
from types import ModuleType
from typing import Any

from pytest_evosearch.core.row_store import CREATE
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.rows.kinds import JSON_TEXT
from pytest_evosearch.sut.rows.kinds import Column
from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import NewRow
from pytest_evosearch.sut.rows.kinds import Parent
from pytest_evosearch.sut.rows.kinds import RowModel
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.kinds import UnusableModel
from pytest_evosearch.sut.rows.kinds import converted
from pytest_evosearch.sut.rows.kinds import object_of
from pytest_evosearch.sut.rows.kinds import placed_in_turn
from pytest_evosearch.sut.rows.mapped_models import importable_classes
from pytest_evosearch.sut.rows.mapped_models import name_of
from pytest_evosearch.sut.rows.plain_tables import made_by


def peewee_classes(modules: Iterable[ModuleType]) -> list[type[Any]]:
    """Return the model classes in modules, by name."""
    peewee = sys.modules.get("peewee")
    if peewee is None:
        return []
    found = {
        name_of(kind): kind
        for kind in importable_classes(modules)
        if issubclass(kind, peewee.Model) and kind.__module__ != peewee.__name__
    }
    return [found[name] for name in sorted(found)]


def peewee_models(kinds: Sequence[type[Any]]) -> tuple[RowModel, ...]:
    """Return the row models of peewee models, without those that no gene fits."""
    found = []
    for kind in kinds:
        with suppress(UnusableModel, Exception):
            found.append(_row_model(kind, kinds))
    return tuple(found)


def _row_model(kind: type[Any], kinds: Sequence[type[Any]]) -> RowModel:
    meta = kind._meta
    columns, parents = [], {}
    for name, field in meta.fields.items():
        needed = not field.null and field.default is None
        if any(one.__name__ == "ForeignKeyField" for one in type(field).__mro__):
            other = kind if field.rel_model in ("self", kind) else field.rel_model
            if needed and other not in kinds:
                raise UnusableModel
            if other in kinds:
                parents[name] = Parent(name_of(other), field.rel_field.name, not field.null)
        elif not getattr(field, "auto_increment", False):
            made = made_by(field.field_type)
            length = getattr(field, "max_length", None)
            digits = getattr(field, "decimal_places", None)
            made = "dict" if made == JSON_TEXT else made
            columns.append(Column(name, made, needed, length, _choices(field), digits=digits))
    gene, temporal = object_of(columns)
    return RowModel(name_of(kind), meta.table_name.lower(), gene, parents, temporal, kind)


def _choices(field: Any) -> tuple[object, ...]:
    return tuple(one[0] for one in field.choices or ())


class PeeweeRows:
    """Creates rows through peewee models."""

    def __init__(self, models: tuple[RowModel, ...], modules: Sequence[ModuleType]) -> None:
        self._models = {model.name: model for model in models}
        self._modules = modules

    @property
    def models(self) -> tuple[RowModel, ...]:
        """Return the models."""
        return tuple(self._models.values())

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...]:
        """Create rows on an open connection, or on one that is closed afterwards."""
        database = self._models[rows[0].model].kind._meta.database
        with ExitStack() as stack:
            opens = database.is_closed()
            if opens:
                stack.enter_context(database.connection_context())
            store = self._store(database, rows[0].model, opens)
            with database.atomic():
                return self._created(rows, store)

    def _created(self, rows: Sequence[RowToPlace], store: RowStore) -> tuple[FoundRow, ...]:
        def insert(model: RowModel, row: NewRow, made: Sequence[Any]) -> object:
            values = {name: converted(model, name, value) for name, value in row.known.items()}
            values.update({name: made[place] for name, (place, _) in row.links.items()})
            return model.kind.create(**values, **row.existing)

        return placed_in_turn(self._models, rows, store, self._first_key, insert)

    def _first_key(self, parent: Parent) -> object:
        kind = self._models[parent.model].kind
        first = kind.select().order_by(getattr(kind, parent.attribute)).first()
        return getattr(first, parent.attribute, None)

    def _store(self, database: Any, model: str, opens: bool) -> RowStore:
        path = self._path_of(database)
        kind = model.rpartition(".")[2]
        name = path.rpartition(".")[2] or f"{kind}._meta.database"
        contexts = (f"{name}.connection_context()",) if opens else ()
        imports = (path,) if path and opens else ()
        return RowStore(CREATE, name, imports, contexts=contexts, ending=())

    def _path_of(self, database: Any) -> str:
        """Return the import path of a database in a module, empty when there is none."""
        for module in self._modules:
            for name, value in sorted(vars(module).items()):
                if value is database and not name.startswith("_"):
                    return f"{module.__name__}.{name}"
        return ""
