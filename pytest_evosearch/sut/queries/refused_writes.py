"""Finds values that a constraint would have accepted, after it refused a write.

Each database names the constraint in its own words. The message contains the columns, or a name
that the schema defines. Valid keys for a reference are read from the
database, if it still accepts queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.queries.parsing import expressions
from pytest_evosearch.sut.queries.parsing import tree_of
from pytest_evosearch.sut.queries.row_nearness import RowReader
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.statements import PLACEHOLDER
from pytest_evosearch.sut.queries.wishes import Wish
from pytest_evosearch.sut.queries.wishes import away

LONGEST_MESSAGE = 2000
MOST_KEYS = 20
"""Most keys that are offered for a reference."""

_NAME = r"[\"'`]?(\w+)[\"'`]?"

_UNIQUE = re.compile(r"UNIQUE constraint failed|unique constraint|Duplicate entry", re.IGNORECASE)
_UNIQUE_COLUMNS = (
    re.compile(r"UNIQUE constraint failed: ([^\[\n]+)"),  # SQLAlchemy adds ``[SQL: ...]``
    re.compile(r"Key \((.+?)\)=\("),
    re.compile(r"for key '([^']+)'"),
)
_MISSING = re.compile(
    rf"NOT NULL constraint failed: \w+\.(\w+)|null value in column {_NAME}|"
    rf"Column {_NAME} cannot be null|Field {_NAME} doesn't have a default"
)
_REFERENCE = re.compile(r"FOREIGN KEY", re.IGNORECASE)
_REFERRED = (
    re.compile(rf"FOREIGN KEY \({_NAME}\) REFERENCES {_NAME} \({_NAME}\)", re.IGNORECASE),
    re.compile(rf"FOREIGN KEY\s*\({_NAME}\)\s*REFERENCES\s+{_NAME}\s*\({_NAME}\)", re.IGNORECASE),
    re.compile(rf"{_NAME}[^,()]*REFERENCES\s+{_NAME}\s*\({_NAME}\)", re.IGNORECASE),
)


@dataclass(frozen=True)
class Write:
    """An ``INSERT`` or ``UPDATE``: the values of its columns."""

    table: str
    values: Mapping[str, Any]


def write_of(text: str, dialect: str, values: tuple[Any, ...]) -> Write | None:
    """Return what a statement writes, for several rows the first; None when unknown."""
    tree = tree_of(text, dialect)
    if tree is None:
        return None
    exp = expressions()
    if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema):
        names = [one.name for one in tree.this.expressions]
        rows = tree.expression.expressions if isinstance(tree.expression, exp.Values) else []
        given = rows[0].expressions if rows else []
        pairs = zip(names, given, strict=False)
        return Write(tree.this.this.name, {name: _value(one, values) for name, one in pairs})
    if isinstance(tree, exp.Update):
        sets = [one for one in tree.expressions if isinstance(one, exp.EQ)]
        return Write(
            tree.this.name, {one.this.name: _value(one.expression, values) for one in sets}
        )
    return None


def _value(node: Any, values: tuple[Any, ...]) -> Any:
    exp = expressions()
    node = node.this if isinstance(node, exp.Cast) else node
    if isinstance(node, exp.Column) and node.name.startswith(PLACEHOLDER):
        return values[int(node.name.removeprefix(PLACEHOLDER))]
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else float(node.this)
    return None


def refused_wishes(
    error: BaseException, write: Write, dialect: str, reader: RowReader
) -> Iterator[Wish]:
    """Yield values that the constraint in the message of `error` would have accepted."""
    message = str(error)[:LONGEST_MESSAGE]
    missing = _MISSING.search(message)
    if missing is not None:
        yield Wish("==", None, "a")
        yield Wish("==", None, 1)
    elif _UNIQUE.search(message):
        for column in _unique_columns(message, write):
            yield from away("==", write.values.get(column), write.values.get(column))
    elif _REFERENCE.search(message):
        yield from _references(message, write, dialect, reader)


def columns_said_taken(message: str) -> list[str]:
    """Return the columns whose values a database reports as already taken."""
    found = next(filter(None, (one.search(message) for one in _UNIQUE_COLUMNS)), None)
    named = [] if found is None else found[1].split(",")
    return [re.split(r"[.\s]", column.strip())[-1] for column in named]


def _unique_columns(message: str, write: Write) -> list[str]:
    """Return the columns that must change; all of them where only an index is named."""
    columns = columns_said_taken(message)
    return [column for column in columns if column in write.values] or list(write.values)


def _references(message: str, write: Write, dialect: str, reader: RowReader) -> Iterator[Wish]:
    named = _REFERRED[0].findall(message)
    for column, table, key in named or _schema_references(write, dialect, reader):
        if column in write.values:
            text = f"SELECT {key} FROM {table} ORDER BY 1 LIMIT {MOST_KEYS}"
            keys = tuple(row[0] for row in _read(reader, RowQuery(text, MOST_KEYS, apart=True)))
            if keys and write.values[column] not in keys:
                yield Wish("in", write.values[column], keys)


def _schema_references(write: Write, dialect: str, reader: RowReader) -> list[tuple[str, str, str]]:
    schema = _schema(write, dialect, reader)
    found = [*_REFERRED[1].findall(schema), *_REFERRED[2].findall(schema)]
    return [one for one in found if one[0].upper() not in ("KEY", "CONSTRAINT")]


def _schema(write: Write, dialect: str, reader: RowReader) -> str:
    """Return the statement that created the table, as far as the database keeps it."""
    queries = {
        "sqlite": f"SELECT sql FROM sqlite_master WHERE name = '{write.table}'",
        "postgres": "SELECT 'CONSTRAINT ' || k.conname || ' ' || pg_get_constraintdef(k.oid) "
        "FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
        f"WHERE c.relname = '{write.table}'",
    }
    if dialect not in queries:
        return ""
    rows = _read(reader, RowQuery(queries[dialect], 1, apart=True))
    return "\n".join(str(row[0]) for row in rows)


def _read(reader: RowReader, query: RowQuery) -> list[tuple[Any, ...]]:
    with suppress(Exception):
        return reader.read(query, ())
    return []
