"""What rows of a table may hold, wherever it was read: models of a library, or the database."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from dataclasses import field
from importlib import import_module
from operator import attrgetter
from typing import Any
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.core.row_store import constructor_of
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import Field
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.json_text import JsonTextGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene

_Result = TypeVar("_Result")

LONGEST_TEXT = 40
"""Characters of a text in a column that takes any number of them."""

LARGEST_NUMBER = 1000

USUAL_DIGITS = 2
"""Digits behind the point of a decimal number whose column does not limit them."""

JSON_TEXT = "json"
"""What values are made of for a column that takes JSON as a text."""


@dataclass(frozen=True)
class Parent:
    """What a column refers to."""

    model: str
    attribute: str
    needed: bool


@dataclass(frozen=True)
class RowModel:
    """One model or table, and what its rows take."""

    name: str
    """Module and class: ``shop.models.Item``; of a table without a model its own name."""
    table: str
    gene: ObjectGene
    parents: dict[str, Parent] = field(default_factory=dict)
    """By the attribute that refers to another model."""
    temporal: dict[str, str] = field(default_factory=dict)
    """Attributes whose values are no plain ones, and their types: one of
    `core.row_store.constructor_of`, or an enumeration with its module."""
    kind: Any = None
    """The class itself, or the table."""
    key: str = ""
    """The column of a table whose value the database gives."""


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
    store: RowStore


class NewRow(NamedTuple):
    """What one row is made of, while rows are added one after another."""

    known: dict[str, object]
    """Values that the test has chosen, by attribute."""
    links: dict[str, tuple[int, str]]
    """Attribute -> position of the row placed before, and its attribute that is referred to."""
    existing: dict[str, object]
    """Keys of rows that were there before."""


class RowFamily(Protocol):
    """Models of one library, or tables without any, which are filled in one way."""

    @property
    def models(self) -> tuple[RowModel, ...]:
        """Return the models, or tables."""
        ...

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...]:
        """Add rows in their order, and commit them; raises what the database raises."""
        ...


class Held(NamedTuple):
    """An object that a test can get at."""

    name: str
    """How the test calls it once it is imported."""
    path: str
    """What the test imports, empty for what hangs at the application."""
    value: Any
    look_up: Callable[[], Any]


class Opening(NamedTuple):
    """A way to a session or connection, and how a test writes it."""

    store: RowStore
    open: Callable[[], AbstractContextManager[Any]]
    """Returns a block, which gives the session."""


class Openings:
    """Ways to a session or connection, of which the first one that has led anywhere is kept."""

    def __init__(self, find: Callable[[], Iterable[Opening]]) -> None:
        self._find = find
        self._kept: Opening | None = None

    def first(self, use: Callable[[Any, RowStore], _Result]) -> _Result:
        """Return what `use` returns of the first opening with which it does not fail.

        Raises what it raises with the last one.
        """
        failure: Exception = LookupError("no way to the database is known")
        for opening in self._find() if self._kept is None else (self._kept,):
            try:
                with opening.open() as opened:
                    result = use(opened, opening.store)
            except Exception as error:  # noqa: PERF203 - the next one may lead there
                failure = error
            else:
                self._kept = opening
                return result
        raise failure


class UnusableModel(Exception):
    """A column wants what no gene makes."""


@dataclass(frozen=True)
class Column:
    """A column, as its model or its database describes it."""

    name: str
    made: str
    """Name of the type of its values: ``int``, ``str``, ``datetime``."""
    needed: bool
    length: int | None = None
    options: tuple[object, ...] = ()
    members: str = ""
    """The enumeration of which `options` are the names, with its module."""
    digits: int | None = None
    """Digits behind the point; None where any number of them is taken."""
    inner: str = ""
    """Name of the type of the elements of a list."""


def gene_of(column: Column) -> Gene | None:
    """Return what makes values for a column; None where nothing does."""
    if column.options:
        return EnumGene(tuple(column.options), closed=True)
    if column.made == "list":
        inner = gene_of(Column("", column.inner, needed=True))
        is_plain = inner is not None and constructor_of(column.inner) is None
        return ArrayGene(inner) if inner is not None and is_plain else None
    anything = ObjectGene((), TextGene(current="a"))
    genes: dict[str, Gene] = {
        "int": IntegerGene(None, None, 1),
        "float": FloatGene(-LARGEST_NUMBER, LARGEST_NUMBER, special=False, current=1.0),
        "Decimal": _decimal_gene(column.digits),
        "bool": BooleanGene(),
        "str": TextGene(1, column.length or LONGEST_TEXT, current="a"),
        "bytes": BytesGene(0, column.length),
        "date": DateGene(),
        "datetime": DateTimeGene(None, "2000-01-01T00:00:00"),
        "time": TimeGene(),
        "timedelta": IntegerGene(0, None, 1),
        "UUID": UuidGene(),
        "dict": ChoiceGene((anything, ArrayGene(TextGene(current="a")))),
        JSON_TEXT: JsonTextGene(anything),
    }
    return genes.get(column.made)


def _decimal_gene(digits: int | None) -> Gene:
    """Return what makes decimal numbers with so many digits behind the point."""
    if digits == 0:
        return IntegerGene(-LARGEST_NUMBER, LARGEST_NUMBER, 1)
    step = 10.0 ** -(USUAL_DIGITS if digits is None else digits)
    return FloatGene(-LARGEST_NUMBER, LARGEST_NUMBER, special=False, current=1.0, multiple_of=step)


def object_of(columns: Iterable[Column]) -> tuple[ObjectGene, dict[str, str]]:
    """Return a gene for rows of these columns, and the types of those that are no plain values.

    Raises `UnusableModel` where a column has to be given that no gene makes.
    """
    fields, temporal = [], {}
    for column in columns:
        gene = gene_of(column)
        if gene is None:
            if column.needed:
                raise UnusableModel
            continue
        if column.members or (constructor_of(column.made) and not column.options):
            temporal[column.name] = column.members or column.made
        made = Field(column.name, gene) if column.needed else Field.optional(column.name, gene)
        fields.append(made)
    return ObjectGene(tuple(fields)), temporal


def converted(model: RowModel, name: str, value: object) -> object:
    """Return a value as a model takes it; a gene writes days and moments as texts."""
    constructor = constructor_of(model.temporal.get(name, ""))
    if constructor is None or not constructor.takes(value):
        return value
    construct = attrgetter(constructor.call)(import_module(constructor.module))
    return construct(**{constructor.keyword: value}) if constructor.keyword else construct(value)


def taken(model: RowModel, row: RowToPlace) -> dict[str, object]:
    """Return the values of a row that its model knows."""
    return {
        name: _decimal(value) if model.temporal.get(name) == "Decimal" else value
        for name, value in row.values.items()
        if model.gene.field(name)
    }


def _decimal(value: object) -> object:
    """Return a decimal number as a text, a whole one as such."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else str(value)


def links_of(model: RowModel, made: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return which of the rows made before, of the models `made`, each parent is."""
    links = {}
    for name, parent in model.parents.items():
        places = [at for at, kind in enumerate(made) if kind == parent.model]
        if places:
            links[name] = places[-1], parent.attribute
    return links


def placed_in_turn(
    models: Mapping[str, RowModel],
    rows: Sequence[RowToPlace],
    store: RowStore,
    first_key: Callable[[Parent], object],
    insert: Callable[[RowModel, NewRow, Sequence[Any]], Any],
) -> tuple[FoundRow, ...]:
    """Add rows in their order, each with what it refers to, and return what was added.

    `insert` adds one row and returns what others refer to; it also gets what it has returned for
    the rows before.  `first_key` returns the key of a row that was there before, for a needed
    parent that is not placed.
    """
    names: list[str] = []
    made: list[Any] = []
    found = []
    for row in rows:
        model = models[row.model]
        new = NewRow(taken(model, row), links_of(model, names), {})
        for name, parent in model.parents.items():
            if parent.needed and name not in new.links:
                new.existing[name] = first_key(parent)
        made.append(insert(model, new, made))
        names.append(model.name)
        temporal = {name: kind for name, kind in model.temporal.items() if name in new.known}
        values = {**new.known, **new.existing}
        found.append(FoundRow(model.name, values, temporal, new.links, store))
    return tuple(found)
