"""What rows of a table may contain, according to a library's models or to the database."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from types import SimpleNamespace
from typing import Any
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.core.row_store import constructor_of
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.sut.deeds import fixture_function

_Result = TypeVar("_Result")

LONGEST_TEXT = 40
"""Most characters of a text for a column without a limit."""

LARGEST_NUMBER = 1000

USUAL_DIGITS = 2
"""Decimal places of a number whose column does not limit them."""

JSON_TEXT = "json"
"""Type of values for a column that stores JSON as a text."""


@dataclass(frozen=True)
class Parent:
    """The model that a column refers to."""

    model: str
    attribute: str
    needed: bool


@dataclass(frozen=True)
class RowModel:
    """One model or table, and the values of its rows."""

    name: str
    """Module and class: ``shop.models.Item``; for a table without a model, its own name."""
    table: str
    gene: ObjectGene
    parents: dict[str, Parent] = field(default_factory=dict)
    """Attribute that refers to another model -> that model."""
    temporal: dict[str, str] = field(default_factory=dict)
    """Attribute without a plain value -> its type.

    The type is one of `core.row_store.constructor_of`, or an enumeration with its module.
    """
    kind: Any = None
    """The class, or the table."""
    key: str = ""
    """The column of a table whose value the database generates."""


class RowToPlace(NamedTuple):
    """A row that a test needs."""

    model: str
    values: dict[str, object]


class FoundRow(NamedTuple):
    """A row as it was placed, with everything that a written test needs to place it."""

    model: str
    values: dict[str, object]
    """Attribute -> value; a text for attributes in `temporal`."""
    temporal: dict[str, str]
    parents: dict[str, tuple[int, str]]
    """Attribute -> position of an earlier row, and the attribute of it that is referred to."""
    store: RowStore


class NewRow(NamedTuple):
    """The values of one row, while rows are added one after another."""

    known: dict[str, object]
    """Attribute -> value that the test has chosen."""
    links: dict[str, tuple[int, str]]
    """Attribute -> position of an earlier row, and the attribute of it that is referred to."""
    existing: dict[str, object]
    """Keys of rows that existed before."""


class RowFamily(Protocol):
    """Models of one library, or tables without models, that are stored in one way."""

    @property
    def models(self) -> tuple[RowModel, ...]:
        """Return the models, or tables."""
        ...

    def place(self, rows: Sequence[RowToPlace]) -> tuple[FoundRow, ...]:
        """Add rows in order, and commit them; raise errors of the database."""
        ...


class Held(NamedTuple):
    """An object that a test can import."""

    name: str
    """Name of the object after its import."""
    path: str
    """Module path to import; empty for an attribute of the application."""
    value: Any


class NotKeptError(Exception):
    """Says that a function returns a new object each time, which must be closed."""


class Opening(NamedTuple):
    """A way to open a session or connection: by the code of a test."""

    store: RowStore
    app: Any
    keeper: str = ""
    """The function that must return the same object each time, where a test closes nothing."""

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Yield the session, as a test opens it; raise `NotKeptError` where it must be closed."""
        client = SimpleNamespace(application=self.app)
        with _opened(self.store, self.keeper)(client) as (first, again):
            second = again() if again is not None else first
            if first is not second:
                for one in (first, second):
                    with suppress(Exception):
                        one.close()
                raise NotKeptError
            yield first


@lru_cache
def _opened(store: RowStore, keeper: str) -> Callable[[Any], AbstractContextManager[Any]]:
    """Return a function with the code of a test up to its first row; it takes the client."""
    lines = [
        f"from {home} import {name}" if home else f"import {name}"
        for home, _, name in (path.rpartition(".") for path in store.imports)
    ]
    lines += store.before
    for depth, context in enumerate(store.contexts):
        lines.append(f"{'    ' * depth}with {context}:")
    inside = (*store.inside, f"yield {store.name}, {keeper or None}")
    lines += (f"{'    ' * len(store.contexts)}{line}" for line in inside)
    body = "\n    ".join(lines).replace("{client}", "client")
    return contextmanager(fixture_function(f"def opened(client):\n    {body}\n"))


class Openings:
    """Ways to open a session or connection; the first one that works is kept."""

    def __init__(self, find: Callable[[], Iterable[Opening]]) -> None:
        self._find = find
        self._kept: Opening | None = None

    def first(self, use: Callable[[Any, RowStore], _Result]) -> _Result:
        """Return the result of `use` with the first opening that works.

        Raises the exception of the last opening when all fail.
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
    """Says that no gene makes values for a required column."""


@dataclass(frozen=True)
class Column:
    """A column, as its model or its database describes it."""

    name: str
    made: str
    """Type name of its values: ``int``, ``str``, ``datetime``."""
    needed: bool
    length: int | None = None
    options: tuple[object, ...] = ()
    members: str = ""
    """The enumeration whose member names are in `options`, with its module."""
    digits: int | None = None
    """Decimal places; None without a limit."""
    inner: str = ""
    """Type name of the elements of a list."""


def gene_of(column: Column) -> Gene | None:
    """Return a gene for a column's values; None when none fits."""
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
        JSON_TEXT: EncodedGene(anything),
    }
    return genes.get(column.made)


def _decimal_gene(digits: int | None) -> Gene:
    """Return a gene for decimal numbers with this number of decimal places."""
    if digits == 0:
        return IntegerGene(-LARGEST_NUMBER, LARGEST_NUMBER, 1)
    step = 10.0 ** -(USUAL_DIGITS if digits is None else digits)
    return FloatGene(-LARGEST_NUMBER, LARGEST_NUMBER, special=False, current=1.0, multiple_of=step)


def object_of(columns: Iterable[Column]) -> tuple[ObjectGene, dict[str, str]]:
    """Return a gene for rows with these columns, and the types of non-plain values.

    Raises `UnusableModel` when no gene makes values for a required column.
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
    """Return a value in the model's type; a gene makes dates and times as texts."""
    constructor = constructor_of(model.temporal.get(name, ""))
    if constructor is None or not constructor.takes(value):
        return value
    construct = attrgetter(constructor.call)(import_module(constructor.module))
    return construct(**{constructor.keyword: value}) if constructor.keyword else construct(value)


def taken(model: RowModel, row: RowToPlace) -> dict[str, object]:
    """Return the values of a row that its model has attributes for."""
    return {
        name: _decimal(value) if model.temporal.get(name) == "Decimal" else value
        for name, value in row.values.items()
        if model.gene.field(name)
    }


def _decimal(value: object) -> object:
    """Return a decimal number as a text, a whole one as an integer."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else str(value)


def links_of(model: RowModel, made: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return, for each parent, which of the earlier rows (of the models `made`) it is."""
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
    """Add rows in order, each with its references, and return what was added.

    `insert` adds one row and returns the object that other rows refer to; it receives the objects
    of the earlier rows. `first_key` returns the key of an existing row, for a required parent that
    is not placed.
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
