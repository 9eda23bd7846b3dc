"""Reads values from a database: handlers look for stored values.

A code that is in no source file cannot be guessed, but it can be read from the first rows of every
table. The snapshot is read, so the application does not notice it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from pytest_evosearch.sut.row_values import quoted
from pytest_evosearch.sut.row_values import values_of_rows

MOST_ROWS = 20
"""Most rows of a table that are read; more would hide the first ones."""


def stored_values(database: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    """Yield (column, value) for the first rows of every table, in a stable order.

    A key is yielded a second time under its table's name: ``product_id`` for ``id`` of
    ``products``.
    """
    yield from values_of_rows(stored_rows(database))


def stored_rows(database: sqlite3.Connection) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (table, row by column) for the first rows of every table, in a stable order."""
    for table in tables_of(database):
        cursor = sqlite3.Cursor(database)
        cursor.row_factory = None
        cursor.execute(f"SELECT * FROM {quoted(table)} LIMIT {MOST_ROWS}")
        columns = [description[0] for description in cursor.description]
        for row in cursor.fetchall():
            yield table, dict(zip(columns, row, strict=True))


def tables_of(database: sqlite3.Connection) -> list[str]:
    """Return the tables of the application, in a stable order."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite_%' AND name != 'alembic_version' ORDER BY name"
    )
    cursor = sqlite3.Cursor(database)
    cursor.row_factory = None
    return [name for (name,) in cursor.execute(query).fetchall()]
