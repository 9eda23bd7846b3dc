"""Rows of tables without models: read from the schema, inserted by statements."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.row_store import STATEMENT
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.rows.kinds import JSON_TEXT
from pytest_evosearch.sut.rows.kinds import Column
from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import NewRow
from pytest_evosearch.sut.rows.kinds import Parent
from pytest_evosearch.sut.rows.kinds import RowModel
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.kinds import UnusableModel
from pytest_evosearch.sut.rows.kinds import object_of
from pytest_evosearch.sut.rows.kinds import placed_in_turn
from pytest_evosearch.sut.rows.opened_rows import OpenedRows

Run = Callable[[str], Sequence[Sequence[Any]]]
"""Runs our own statement, and returns its rows."""

MOST_TABLES = 200

_TYPES = (
    (re.compile(r"bool|tinyint\(1\)|^bit", re.IGNORECASE), "bool"),
    (re.compile(r"int(?!erval)|serial|year", re.IGNORECASE), "int"),
    (re.compile(r"timestamp|datetime", re.IGNORECASE), "datetime"),
    (re.compile(r"^date$", re.IGNORECASE), "date"),
    (re.compile(r"^time", re.IGNORECASE), "time"),
    (re.compile(r"uuid", re.IGNORECASE), "UUID"),
    (re.compile(r"blob|bytea|binary", re.IGNORECASE), "bytes"),
    (re.compile(r"real|floa|doub", re.IGNORECASE), "float"),
    (re.compile(r"num|dec|money", re.IGNORECASE), "Decimal"),
    (re.compile(r"char|text|clob|enum|set|^$", re.IGNORECASE), "str"),
)
_WORDS = re.compile(r"'((?:[^']|'')*)'")


@dataclass
class _Described:
    """A table in its database's description."""

    columns: list[Column] = field(default_factory=list)
    key: str = ""
    references: dict[str, tuple[str, str, bool]] = field(default_factory=dict)
    """Column -> referenced table and column, and whether a value is required."""


def table_models(described: Mapping[str, _Described]) -> tuple[RowModel, ...]:
    """Return the row models of tables, without those that no gene fits."""
    found = []
    for name, table in sorted(described.items()):
        with suppress(UnusableModel):
            plain = [one for one in table.columns if one.name not in table.references]
            gene, temporal = object_of(plain)
            if any(needed and other not in described for other, _, needed in _targets(table)):
                raise UnusableModel
            parents = {
                column: Parent(other, key, needed)
                for column, (other, key, needed) in table.references.items()
                if other in described
            }
            found.append(RowModel(name, name.lower(), gene, parents, temporal, None, table.key))
    return tuple(found)


def _targets(table: _Described) -> Iterable[tuple[str, str, bool]]:
    return table.references.values()


def made_by(kind: str) -> str:
    """Return the value type for a database's name of a column type."""
    if kind.endswith("[]"):
        return list.__name__
    if JSON_TEXT in kind.lower():
        return JSON_TEXT
    return next((made for pattern, made in _TYPES if pattern.search(kind)), "")


def sqlite_tables(path: Path) -> dict[str, _Described]:
    """Describe the tables of an SQLite file."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return described_by_sqlite(lambda text: connection.execute(text).fetchall())


def described_by_sqlite(run: Run) -> dict[str, _Described]:
    """Describe the tables of an SQLite database."""
    found = {}
    tables = run("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for name, sql in tables[:MOST_TABLES]:
        if name.startswith("sqlite_"):
            continue
        table = found[name] = _Described()
        quoted = name.replace('"', '""')
        rows = run(f'PRAGMA table_info("{quoted}")')
        keys = [row[1] for row in rows if row[5]]
        needed = {row[1]: bool(row[3]) and row[4] is None for row in rows}
        for _, column, kind, _, _, is_key in rows:
            if is_key and len(keys) == 1 and kind.upper() == "INTEGER":
                table.key = column
                continue
            must = needed[column] or (bool(is_key) and len(keys) == 1)
            options = _checked_words(str(sql), column)
            table.columns.append(_column(column, kind, must, options))
        for row in run(f'PRAGMA foreign_key_list("{quoted}")'):
            table.references[row[3]] = row[2], row[4] or "", needed.get(row[3], False)
    for table in found.values():
        _complete(table, found)
    return found


def _complete(table: _Described, found: Mapping[str, _Described]) -> None:
    """Add the referenced column where a reference names only a table: the table's key."""
    for column, (other, key, needed) in table.references.items():
        if not key and other in found:
            table.references[column] = other, found[other].key, needed


def _column(name: str, kind: str, needed: bool, options: tuple[object, ...]) -> Column:
    length = re.search(r"char[\w ]*\(\s*(\d+)\s*\)", kind, re.IGNORECASE)
    digits = re.search(r"(?:num|dec)\w*\(\s*\d+\s*,\s*(\d+)\s*\)", kind, re.IGNORECASE)
    return Column(
        name,
        made_by(kind),
        needed,
        int(length[1]) if length else None,
        options,
        digits=int(digits[1]) if digits else None,
        inner=made_by(kind.removesuffix("[]")),
    )


def _checked_words(sql: str, column: str) -> tuple[object, ...]:
    """Return the words that a column's check allows."""
    name = re.escape(column)
    found = re.search(rf"CHECK[\s(]*[\"`\[]?{name}[\"`\]]?\s+IN\s*\(([^()]*)\)", sql, re.IGNORECASE)
    return tuple(_WORDS.findall(found[1])) if found is not None else ()


_COLUMNS = """
SELECT c.table_name, c.column_name, {kind}, c.is_nullable, c.column_default, {given}
FROM information_schema.columns c JOIN information_schema.tables t
ON t.table_name = c.table_name AND t.table_schema = c.table_schema
WHERE t.table_type = 'BASE TABLE' AND c.table_schema = {schema}
ORDER BY c.table_name, c.ordinal_position"""

_POSTGRESQL = (
    _COLUMNS.format(
        kind="""CASE c.data_type
WHEN 'ARRAY' THEN substr(c.udt_name, 2) || '[]'
WHEN 'USER-DEFINED' THEN coalesce(
    (SELECT 'enum(' || string_agg(quote_literal(e.enumlabel), ',' ORDER BY e.enumsortorder) || ')'
    FROM pg_enum e JOIN pg_type y ON y.oid = e.enumtypid WHERE y.typname = c.udt_name), c.udt_name)
WHEN 'numeric' THEN coalesce(
    'numeric(' || c.numeric_precision || ',' || c.numeric_scale || ')', 'numeric')
ELSE c.data_type || coalesce('(' || c.character_maximum_length || ')', '') END""",
        given="c.is_identity = 'YES' OR c.is_generated = 'ALWAYS' "
        "OR coalesce(c.column_default, '') LIKE 'nextval(%'",
        schema="current_schema()",
    ),
    """
SELECT k.conrelid::regclass::text, a.attname, k.confrelid::regclass::text, b.attname
FROM pg_constraint k
JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
WHERE k.contype = 'f' AND array_length(k.conkey, 1) = 1""",
    """
SELECT k.conrelid::regclass::text, pg_get_constraintdef(k.oid) FROM pg_constraint k
WHERE k.contype = 'c'""",
)
_MYSQL = (
    _COLUMNS.format(
        kind="c.column_type", given="c.extra LIKE '%auto_increment%'", schema="database()"
    ),
    """
SELECT table_name, column_name, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = database() AND referenced_table_name IS NOT NULL""",
    """
SELECT table_name, concat('CHECK (', check_clause, ')')
FROM information_schema.check_constraints WHERE constraint_schema = database()""",
)


def described_by_server(dialect: str, run: Run) -> dict[str, _Described]:
    """Describe the tables of a database on a server."""
    queries = _POSTGRESQL if dialect == POSTGRESQL else _MYSQL
    checks: dict[str, str] = {}
    with suppress(Exception):  # older servers do not have them
        for name, text in run(queries[2]):
            checks[name] = checks.get(name, "") + _plain_check(str(text)) + "\n"
    found: dict[str, _Described] = {}
    nullable = {}
    for name, column, kind, may_be_null, default, is_given in run(queries[0]):
        table = found.setdefault(name, _Described())
        nullable[name, column] = may_be_null == "YES"
        if is_given:
            table.key = table.key or column
            continue
        options = _checked_words(checks.get(name, ""), column)
        if str(kind).startswith("enum("):
            options = tuple(_WORDS.findall(str(kind)))
        needed = may_be_null != "YES" and default is None
        table.columns.append(_column(column, str(kind), needed, options))
    for name, column, other, key in run(queries[1]):
        if name in found:
            found[name].references[column] = other, key, not nullable.get((name, column), True)
    return found


def _plain_check(text: str) -> str:
    """Return a check in its usual form, from PostgreSQL's normalised form."""
    text = re.sub(r"::[a-z]+(?: [a-z]+)*(?:\[\])?", "", text.replace("`", ""))
    text = re.sub(r"\(\((\w+)\)", r"(\1", text)
    return re.sub(r"= ANY \(+ARRAY\[([^\]]*)\]\)*", r"IN (\1)", text)


class TableRows(OpenedRows):
    """Adds rows by statements, on a connection of the project."""

    def _placed(
        self, rows: Sequence[RowToPlace], connection: Any, store: RowStore
    ) -> tuple[FoundRow, ...]:
        store = _store_for(connection, store)
        try:
            with closing(connection.cursor()) as cursor:
                placed = self._added(cursor, rows, store)
            connection.commit()
        except BaseException:
            with suppress(Exception):
                connection.rollback()
            raise
        return placed

    def _added(
        self, cursor: Any, rows: Sequence[RowToPlace], store: RowStore
    ) -> tuple[FoundRow, ...]:
        def first_key(parent: Parent) -> object:
            key = parent.attribute
            cursor.execute(f"SELECT {key} FROM {parent.model} ORDER BY {key} LIMIT 1")
            row = cursor.fetchone()
            return row[0] if row else None

        def insert(model: RowModel, row: NewRow, made: Sequence[object]) -> object:
            values = {**row.known, **row.existing}
            for name, (place, _) in list(row.links.items()):
                values[name] = made[place]
                if not self._models[rows[place].model].key:
                    row.existing[name] = values[name]  # the test gives this value itself
                    del row.links[name]
            return self._key_after(cursor, model, values, store)

        found = placed_in_turn(self._models, rows, store, first_key, insert)
        # Statements take dates and times as texts.
        return tuple(one._replace(temporal={}) for one in found)

    def _key_after(
        self, cursor: Any, model: RowModel, values: Mapping[str, object], store: RowStore
    ) -> object:
        """Insert a row, and return its key: generated by the database, or its own value."""
        text = store.insertion(model.name, tuple(values), model.key)
        cursor.execute(text, tuple(values.values()))
        if model.key:
            return cursor.fetchone()[0] if store.returns_keys else cursor.lastrowid
        return values.get(self._referred(model))

    def _referred(self, model: RowModel) -> str:
        """Return the column that others refer to, in a table without a generated key."""
        for other in self._models.values():
            for parent in other.parents.values():
                if parent.model == model.name:
                    return parent.attribute
        return ""


def _store_for(connection: Any, store: RowStore) -> RowStore:
    """Return the store in the syntax of this connection's driver; raise `TypeError` without one."""
    if not callable(getattr(connection, "cursor", None)):
        raise TypeError("no connection")
    if isinstance(connection, sqlite3.Connection):
        return replace(store, style=STATEMENT)
    package = type(connection).__module__.partition(".")[0]
    direct = callable(getattr(connection, "execute", None))
    store = replace(store, style=STATEMENT, marker="%s", returns_keys=package.startswith("psycopg"))
    if direct:
        return store
    cursor = f"cursor = {store.name}.cursor()"
    return replace(store, name="cursor", inside=(*store.inside, cursor))
