"""Finds values that a constraint would have accepted, after it refused a write.

Each database names the constraint in its own words. The message contains the columns, or a name
that the schema defines. Valid keys for a reference and conditions of a check are read from the
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
from pytest_evosearch.sut.queries.wishes import towards

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
_TOO_LONG = re.compile(rf"value too long for type [\w ]+\((\d+)\)|Data too long for column {_NAME}")
_CHECK = re.compile(
    r"CHECK constraint failed: (.+)|check constraint [\"'](\w+)|CONSTRAINT `(.+?)` failed",
    re.IGNORECASE,
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
    elif (long := _TOO_LONG.search(message)) is not None:
        yield from _shorter(write, int(long[1] or 0), long[2])
    elif (check := _CHECK.search(message)) is not None:
        said = next(filter(None, check.groups()))
        yield from _checked(said, write, dialect, reader)


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


def _shorter(write: Write, most: int, column: str | None) -> Iterator[Wish]:
    for name, value in write.values.items():
        if isinstance(value, str) and len(value) > most and column in (None, name):
            for length in (most,) if most else (len(value) // 2, 5, 1):
                yield Wish("==", value, value[:length])


def _checked(said: str, write: Write, dialect: str, reader: RowReader) -> Iterator[Wish]:
    """Yield values that would satisfy a check, given by condition or by name."""
    condition = said
    if re.fullmatch(r"\w+|\w+\.\w+", said.strip()):
        name = said.strip().rpartition(".")[2]
        condition = _condition_called(name, _schema(write, dialect, reader))
    tree = tree_of(f"SELECT 1 FROM t WHERE {condition}", dialect) if condition else None
    if tree is not None:
        relations = _relations()
        for node in tree.args["where"].find_all(
            *relations, expressions().In, expressions().Between
        ):
            yield from _fulfilled(node, write, relations)


def _condition_called(name: str, schema: str) -> str:
    """Return the condition of a check from the schema; empty where it is missing."""
    found = re.search(rf"\b{re.escape(name)}[\"'`]?\s+CHECK\s*\(", schema, re.IGNORECASE)
    if found is None:
        return ""
    open_brackets = 1
    for at, character in enumerate(schema[found.end() :], found.end()):
        open_brackets += (character == "(") - (character == ")")
        if not open_brackets:
            return schema[found.end() : at]
    return ""


def _relations() -> dict[Any, str]:
    exp = expressions()
    return {
        exp.GT: ">",
        exp.GTE: ">=",
        exp.LT: "<",
        exp.LTE: "<=",
        exp.NEQ: "!=",
        exp.EQ: "==",
    }


def _fulfilled(node: Any, write: Write, relations: dict[Any, str]) -> Iterator[Wish]:
    """Yield values that would make one comparison of a check true."""
    exp = expressions()
    subject = _plain(node.this)
    if isinstance(subject, exp.Length):
        value = write.values.get(_plain(subject.this).name)
        if isinstance(value, str) and type(node) in relations:
            yield from _of_length(value, relations[type(node)], _value(node.expression, ()))
        return
    value = write.values.get(subject.name)
    if value is None:
        return
    if isinstance(node, exp.In):
        yield Wish("in", value, tuple(_value(one, ()) for one in node.expressions))
    elif isinstance(node, exp.Between):
        yield Wish(">=", value, _value(node.args["low"], ()))
        yield Wish("<=", value, _value(node.args["high"], ()))
    elif isinstance(node.expression, exp.Any):
        members = node.expression.find(exp.Array)
        if members is not None:
            yield Wish("in", value, tuple(_value(one, ()) for one in members.expressions))
    else:
        yield from towards(relations[type(node)], value, _value(node.expression, ()))


def _plain(node: Any) -> Any:
    """Return an expression without surrounding brackets and conversions."""
    node = node.unnest()
    while isinstance(node, expressions().Cast):
        node = node.this.unnest()
    return node


def _of_length(text: str, relation: str, length: Any) -> Iterator[Wish]:
    """Yield the nearest text whose length has a relation to a number."""
    if not isinstance(length, (int, float)) or length > LONGEST_MESSAGE:
        return
    wanted = int(length) + {">": 1, "<": -1}.get(relation, 0)
    yield Wish("==", text, (text + "a" * max(0, wanted - len(text)))[: max(0, wanted)])


def _schema(write: Write, dialect: str, reader: RowReader) -> str:
    """Return the statement that created the table, as far as the database keeps it."""
    queries = {
        "sqlite": f"SELECT sql FROM sqlite_master WHERE name = '{write.table}'",
        "mysql": "SELECT concat('CONSTRAINT ', constraint_name, ' CHECK (', check_clause, ')') "
        "FROM information_schema.check_constraints WHERE constraint_schema = database()",
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
