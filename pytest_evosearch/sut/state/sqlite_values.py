"""Reads values out of a database: what is stored is what handlers look for.

A code that is in no source file cannot be guessed, but it can be read: the first rows of
every table, by column.  Read from the snapshot, so that the application notices nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty

MOST_ROWS = 20
"""Rows of a table that are read; more would only drown the first ones."""

LONGEST_VALUE = 200
"""Characters of a text or bytes that are of use as an input."""


def stored_values(database: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    """Yield (column, value) for the first rows of every table, in a stable order.

    A key is also yielded under its table's name: ``product_id`` for ``id`` of ``products``.
    """
    yield from values_of_rows(stored_rows(database))


def values_of_rows(
    rows: Iterable[tuple[str, Mapping[str, object]]],
) -> Iterator[tuple[str, object]]:
    """Yield (column, value) for `rows` of tables, keys under their table's name, too."""
    for table, row in rows:
        for column, value in row.items():
            if _is_useful(value):
                yield column, value
                if column.lower() in IDENTIFIER.words(Certainty.POSSIBLE):
                    yield f"{singular(table.lower())}_{column}", value


def stored_rows(database: sqlite3.Connection) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (table, row by column) for the first rows of every table, in a stable order."""
    for table in _tables(database):
        cursor = sqlite3.Cursor(database)
        cursor.row_factory = None
        cursor.execute(f"SELECT * FROM {_quoted(table)} LIMIT {MOST_ROWS}")
        columns = [description[0] for description in cursor.description]
        for row in cursor.fetchall():
            yield table, dict(zip(columns, row, strict=True))


def _tables(database: sqlite3.Connection) -> list[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite_%' AND name != 'alembic_version' ORDER BY name"
    )
    cursor = sqlite3.Cursor(database)
    cursor.row_factory = None
    return [name for (name,) in cursor.execute(query).fetchall()]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_useful(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE
    return isinstance(value, (int, float)) and not isinstance(value, bool)
