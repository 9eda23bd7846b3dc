"""Leaves people out of the copies of a developer's SQLite databases.

A database that lies in a checkout may hold people: the developer's, or those of a customer.  What
is in its rows would get into tests, reports and journals.  So the copies that a search and its
tests work on have the tables, and none of the rows that people are in, nor rows that refer to
these.  Tests add rows of their own.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PERSON
from pytest_evosearch.core.vocabulary import PERSONAL
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.sut.row_values import quoted

MOST_LOOKED_AT = 50
"""Rows of a table whose values are looked at: people fill most rows of their tables."""

_NAMES = "|".join((*PERSON.sure, *LOGIN_NAME.words(Certainty.POSSIBLE)))
_CALLED = re.compile(rf"(?:^|_)(?:{_NAMES})s?$", re.IGNORECASE)
_LOOKS_LIKE_PERSON = re.compile(
    r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){1,3}|[^@\s]+@[^@\s]+\.[^@\s]+"
)
"""Two to four words, such as a first and a last name, or an address of an e-mail."""

Connect = Callable[[str], sqlite3.Connection]


def leave_people_out(copy: Path, connect: Connect) -> tuple[str, ...]:
    """Delete the rows of people in the copy of a database; return the tables that had such rows."""
    try:
        with closing(connect(str(copy))) as connection:
            tables = _tables(connection)
            people = [table for table in tables if _has_people(connection, table)]
            found = _with_referring(connection, people)
            emptied = [table for table in tables if table in found and _rows(connection, table, 1)]
            for table in emptied:
                connection.execute(f"DELETE FROM {quoted(table)}")
            connection.commit()
            return tuple(emptied)
    except sqlite3.Error:  # no database, or one that needs an extension
        return ()


def _tables(connection: sqlite3.Connection) -> list[str]:
    listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in listed.fetchall() if not name.startswith("sqlite_")]


def _has_people(connection: sqlite3.Connection, table: str) -> bool:
    """Say whether columns of a table are about people, by their names or by their values."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({quoted(table)})")]
    if any(PERSONAL.is_meant_by(column) for column in columns):
        return True
    rows = _rows(connection, table, MOST_LOOKED_AT)
    named = [place for place, column in enumerate(columns) if _CALLED.search(column)]
    return any(_are_people([row[place] for row in rows]) for place in named)


def _are_people(values: list[object]) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    return 2 * sum(map(bool, map(_LOOKS_LIKE_PERSON.fullmatch, texts))) > len(texts)


def _with_referring(connection: sqlite3.Connection, tables: list[str]) -> set[str]:
    """Return `tables` and all tables whose rows refer to theirs, at any distance."""
    targets = {
        table: {row[2] for row in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})")}
        for table in _tables(connection)
    }
    found = set(tables)
    while further := {one for one, of in targets.items() if of & found} - found:
        found |= further
    return found


def _rows(connection: sqlite3.Connection, table: str, most: int) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT * FROM {quoted(table)} LIMIT {most}").fetchall()
