"""Reads values out of a database: what is stored is what handlers look for.

A code that is in no source file cannot be guessed, but it can be read: the first rows of
every table, by column.  Read from the snapshot, so that the application notices nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

MOST_ROWS = 20
"""Rows of a table that are read; more would only drown the first ones."""

LONGEST_VALUE = 200
"""Characters of a text or bytes that are of use as an input."""


def stored_values(database: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    """Yield (column, value) for the first rows of every table, in a stable order.

    A key is also yielded under its table's name: ``product_id`` for ``id`` of ``products``.
    """
    for table in _tables(database):
        cursor = database.execute(f"SELECT * FROM {_quoted(table)} LIMIT {MOST_ROWS}")
        columns = [description[0] for description in cursor.description]
        for row in cursor:
            for column, value in zip(columns, row, strict=True):
                if _is_useful(value):
                    yield column, value
                    if column.lower() in _KEYS:
                        yield f"{_singular(table)}_{column}", value


_KEYS = frozenset({"id", "uuid", "key", "code", "slug", "name", "number", "token"})


def _singular(table: str) -> str:
    if table.endswith("ies"):
        return table[:-3] + "y"
    return table[:-1] if table.endswith("s") and not table.endswith("ss") else table


def _tables(database: sqlite3.Connection) -> list[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite_%' AND name != 'alembic_version' ORDER BY name"
    )
    return [name for (name,) in database.execute(query)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_useful(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE
    return isinstance(value, (int, float)) and not isinstance(value, bool)
