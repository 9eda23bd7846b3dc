"""Reads SQLAlchemy models, declarative or imperative, and adds rows through a session."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.living import named_values
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
from pytest_evosearch.sut.rows.opened_rows import OpenedRows


def mapped_classes(modules: Iterable[ModuleType]) -> list[type[Any]]:
    """Return the classes in modules that SQLAlchemy maps to tables, by name."""
    if "sqlalchemy.orm" not in sys.modules:
        return []
    mapper_of = import_module("sqlalchemy").inspect
    found: dict[str, type[Any]] = {}
    for value in importable_classes(modules):
        with suppress(Exception):
            if mapper_of(value, raiseerr=False) is not None:
                found[name_of(value)] = value
    return [found[name] for name in sorted(found)]


def importable_classes(modules: Iterable[ModuleType]) -> Iterator[type[Any]]:
    """Yield the classes that modules hold, where a test finds each in its own module."""
    for _module, _name, value in named_values(modules):
        if isinstance(value, type) and _is_importable(value):
            yield value


def _is_importable(kind: type[Any]) -> bool:
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


def name_of(kind: type[Any]) -> str:
    """Return module and name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def mapped_models(kinds: Sequence[type[Any]]) -> tuple[RowModel, ...]:
    """Return the row models of mapped classes, without those that no gene fits."""
    if not kinds:
        return ()  # a project without SQLAlchemy must not import it
    mapper_of = import_module("sqlalchemy").inspect
    mappers = [mapper_of(kind) for kind in kinds]
    found = []
    for mapper in mappers:
        with suppress(UnusableModel, Exception):
            found.append(_row_model(mapper, mappers))
    return tuple(found)


def _row_model(mapper: Any, mappers: Sequence[Any]) -> RowModel:
    columns, parents = [], {}
    names = _parameters(mapper.class_, [attribute.key for attribute in mapper.column_attrs])
    given = _discriminator(mapper)
    for attribute in mapper.column_attrs:
        column, name = attribute.columns[0], names.get(attribute.key, "")
        if column is given:
            continue
        if not name:
            if _is_needed(column) and not _is_left_to_database(column):
                raise UnusableModel
        elif column.foreign_keys:
            parents[name] = _parent(column, mappers)
        elif not _is_left_to_database(column):
            columns.append(_column(name, column))
    gene, temporal = object_of(columns)
    table = str(mapper.local_table.name).lower()
    return RowModel(name_of(mapper.class_), table, gene, parents, temporal, mapper.class_)


def _parameters(kind: type[Any], attributes: Sequence[str]) -> dict[str, str]:
    """Return, for each attribute, the constructor's parameter that sets it.

    An imperatively mapped class has its own constructor. So an object is created with marks as
    arguments, and its attributes are searched for the marks.
    """
    taken = inspect.signature(kind).parameters
    if any(one.kind is one.VAR_KEYWORD for one in taken.values()):
        return {name: name for name in attributes}
    marks = {name: object() for name in taken}
    held = vars(kind(**marks))
    found = {}
    for attribute in attributes:
        for name, mark in marks.items():
            if held.get(attribute) is mark:
                found[attribute] = name
    needed = {name for name, one in taken.items() if one.default is one.empty}
    if needed - set(found.values()):
        raise UnusableModel
    return found


def _discriminator(mapper: Any) -> Any:
    """Return the column with the class of a row: the mapper fills it in."""
    return mapper.polymorphic_on if mapper.polymorphic_identity is not None else None


def _parent(column: Any, mappers: Sequence[Any]) -> Parent:
    key = next(iter(column.foreign_keys)).column
    for mapper in mappers:
        if mapper.local_table is key.table:
            attribute = mapper.get_property_by_column(key).key
            return Parent(name_of(mapper.class_), attribute, not column.nullable)
    raise UnusableModel


def _is_left_to_database(column: Any) -> bool:
    """Say whether the database generates the value: it counts up, or computes it."""
    if column.computed is not None or column.identity is not None:
        return True
    return bool(
        column.primary_key and column.type.python_type is int and column.autoincrement is not False
    )


def _is_needed(column: Any) -> bool:
    given = column.default is not None or column.server_default is not None
    return not (column.nullable or given)


def _column(name: str, column: Any) -> Column:
    kind = column.type
    return Column(
        name,
        _type_of_values(kind),
        _is_needed(column),
        getattr(kind, "length", None),
        tuple(getattr(kind, "enums", None) or ()),
        _enumeration(kind),
        getattr(kind, "scale", None),
        _inner_type(kind),
    )


def _type_of_values(kind: Any) -> str:
    """Return the type name of a column's values, empty when unknown."""
    json: Any = import_module("sqlalchemy").JSON
    inner = getattr(kind, "impl_instance", getattr(kind, "impl", kind))
    if isinstance(kind, json) or isinstance(inner, json):
        return "dict"
    with suppress(NotImplementedError):
        return str(kind.python_type.__name__)
    return ""


def _inner_type(kind: Any) -> str:
    """Return the type name of a list's elements, empty when none can be made."""
    if (getattr(kind, "dimensions", None) or 1) > 1:
        return ""
    return _type_of_values(kind.item_type) if hasattr(kind, "item_type") else ""


def _enumeration(kind: Any) -> str:
    """Return the enumeration whose member names a type accepts, empty for none."""
    members = getattr(kind, "enum_class", None)
    if members is None or not issubclass(members, Enum) or not _is_importable(members):
        return ""
    return name_of(members) if set(kind.enums) <= set(members.__members__) else ""


class MappedRows(OpenedRows):
    """Adds rows through a session of SQLAlchemy."""

    def _placed(
        self, rows: Sequence[RowToPlace], session: Any, store: RowStore
    ) -> tuple[FoundRow, ...]:
        _check(session)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about rows that are refused
                placed = self._added(session, rows, store)
            session.commit()
        except BaseException:
            with suppress(Exception):
                session.rollback()
            raise
        finally:
            with suppress(Exception):
                session.remove()  # the session of this thread
        return placed

    def _added(
        self, session: Any, rows: Sequence[RowToPlace], store: RowStore
    ) -> tuple[FoundRow, ...]:
        def first_key(parent: Parent) -> object:
            column = getattr(self._models[parent.model].kind, parent.attribute)
            first = import_module("sqlalchemy").select(column).order_by(column).limit(1)
            return session.execute(first).scalar()

        def insert(model: RowModel, row: NewRow, made: Sequence[Any]) -> object:
            values = {name: converted(model, name, value) for name, value in row.known.items()}
            for name, (place, attribute) in row.links.items():
                values[name] = getattr(made[place], attribute)
            instance = model.kind(**values, **row.existing)
            session.add(instance)
            session.flush()
            return instance

        return placed_in_turn(self._models, rows, store, first_key, insert)


def _check(session: Any) -> None:
    """Raise `TypeError` for an object that is no session."""
    if not (hasattr(session, "add") and hasattr(session, "flush")):
        raise TypeError("no session of SQLAlchemy")
