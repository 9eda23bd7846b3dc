"""Reads the models of Flask-SQLAlchemy: tables, and a gene for what a row of each may hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from typing import Any

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import Field
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.sut.state.sqlalchemy_extension import sqlalchemy_extension

LONGEST_TEXT = 40
"""Characters of a text in a column that takes any number of them."""

LARGEST_NUMBER = 1000

DAY, MOMENT = "date", "datetime"
"""Types of values that a gene writes as a text."""


@dataclass(frozen=True)
class Parent:
    """What a column refers to."""

    model: str
    attribute: str
    needed: bool


@dataclass(frozen=True)
class RowModel:
    """One model, and what its rows take."""

    name: str
    """Module and class: ``shop.models.Item``."""
    table: str
    gene: ObjectGene
    parents: dict[str, Parent] = field(default_factory=dict)
    """By the attribute that refers to another model."""
    temporal: dict[str, str] = field(default_factory=dict)
    """Attributes whose values are days or moments."""
    kind: Any = None
    """The class itself."""


@dataclass(frozen=True)
class ProjectModels:
    """The models of an application, and its extension, through which rows are added."""

    extension: Any
    session: str
    """Where a test imports the extension from, ``shop.models.db``; empty where it cannot."""
    models: tuple[RowModel, ...]


def project_models(app: Any) -> ProjectModels | None:
    """Return the models of an application; None where it has none of Flask-SQLAlchemy."""
    extension, _ = sqlalchemy_extension(app, "app")
    mappers = [] if extension is None else _mappers(extension)
    found = []
    for mapper in mappers:
        with suppress(_Unusable, Exception):
            found.append(_row_model(mapper, mappers))
    if not found:
        return None
    return ProjectModels(extension, _import_of(extension, mappers), tuple(found))


class _Unusable(Exception):
    """A column wants what no gene makes."""


def _mappers(extension: Any) -> list[Any]:
    with suppress(Exception):
        mappers = extension.Model.registry.mappers
        return sorted(mappers, key=lambda one: _name_of(one.class_))
    return []


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _import_of(extension: Any, mappers: list[Any]) -> str:
    """Return the name under which a module of the project holds the extension."""
    modules = dict.fromkeys(mapper.class_.__module__ for mapper in mappers)
    packages = dict.fromkeys(module.partition(".")[0] for module in modules)
    others = (name for name in sorted(sys.modules) if name.partition(".")[0] in packages)
    for module in (*modules, *others):
        for name, value in sorted(vars(sys.modules.get(module, sys)).items()):
            if value is extension:
                return f"{module}.{name}"
    return ""


def _row_model(mapper: Any, mappers: list[Any]) -> RowModel:
    fields, parents, temporal = [], {}, {}
    for attribute in mapper.column_attrs:
        column, name = attribute.columns[0], attribute.key
        if column.foreign_keys:
            parents[name] = _parent(column, mappers)
            continue
        if _is_left_to_database(column):
            continue
        found = _gene(column)
        if found is None:
            if _is_needed(column):
                raise _Unusable
            continue
        gene, kind = found
        if kind:
            temporal[name] = kind
        needed = _is_needed(column)
        fields.append(Field(name, gene) if needed else Field.optional(name, gene))
    gene = ObjectGene(tuple(fields))
    table = str(mapper.local_table.name).lower()
    return RowModel(_name_of(mapper.class_), table, gene, parents, temporal, mapper.class_)


def _parent(column: Any, mappers: list[Any]) -> Parent:
    key = next(iter(column.foreign_keys)).column
    for mapper in mappers:
        if mapper.local_table is key.table:
            attribute = mapper.get_property_by_column(key).key
            return Parent(_name_of(mapper.class_), attribute, not column.nullable)
    raise _Unusable


def _is_left_to_database(column: Any) -> bool:
    """Say whether the database gives the value: a number that counts up."""
    return bool(column.primary_key and column.type.python_type is int)


def _is_needed(column: Any) -> bool:
    given = column.default is not None or column.server_default is not None
    return not (column.nullable or given)


def _gene(column: Any) -> tuple[Gene, str] | None:
    """Return what makes values for a column, and the type of a value that is written as a text."""
    kind = column.type
    options = list(_options(kind))
    if options:
        return EnumGene(tuple(options)), ""
    try:
        made = kind.python_type.__name__
    except NotImplementedError:
        return None
    length = getattr(kind, "length", None) or LONGEST_TEXT
    genes: dict[str, Gene] = {
        "int": IntegerGene(None, None, 1),
        "float": FloatGene(-LARGEST_NUMBER, LARGEST_NUMBER, special=False, current=1.0),
        "Decimal": IntegerGene(0, LARGEST_NUMBER, 1),
        "bool": BooleanGene(),
        "str": TextGene(1, length, current="a"),
        DAY: DateGene(),
        MOMENT: DateTimeGene(None, "2000-01-01T00:00:00"),
    }
    gene = genes.get(made)
    return None if gene is None else (gene, made if made in (DAY, MOMENT) else "")


def _options(kind: Any) -> Iterator[str]:
    """Yield the names that an enumeration takes."""
    yield from getattr(kind, "enums", None) or ()
