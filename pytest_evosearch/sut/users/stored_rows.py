"""Rows that are given a value which is known: a hash of a password that the search has chosen.

The search puts it there before the first request of a user, through SQLite itself, and the state
of the run brings the row back.  A written test does the same by a fixture, which finds the row by
what it holds besides, ``known_password("editor", "Cedar-2041")``, and puts it back.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.state.sqlite_state import FileDatabase
from pytest_evosearch.sut.state.sqlite_values import stored_rows
from pytest_evosearch.sut.users.accounts import NAME_COLUMNS
from pytest_evosearch.sut.watching.sqlite_connections import active_connections
from pytest_evosearch.sut.watching.sqlite_connections import connect_directly

MAKERS = {
    "werkzeug.security.generate_password_hash": (
        "from werkzeug.security import generate_password_hash",
        "generate_password_hash({password})",
    ),
    "bcrypt.hashpw": (
        "import bcrypt",
        "bcrypt.hashpw({password}.encode(), bcrypt.gensalt()).decode()",
    ),
}
"""What a fixture imports and calls to hash ``{password}``, by the name of the function."""

LONGEST_NAME = 60


@dataclass(frozen=True)
class StoredRow:
    """A value in a row, and by what the row is found."""

    table: str
    column: str
    name_column: str
    name: str | int
    beside: tuple[tuple[str, str], ...] = ()
    """Columns of the row that look drawn by chance, with their values: salts."""


@dataclass(frozen=True)
class PutValues:
    """Puts values in the place of others in the databases of an application."""

    modules: tuple[str, ...]
    """Names of the application's modules, whose globals may hold connections."""
    values: tuple[tuple[str, str, str, str], ...]
    """Table, column, the value that is there and the one that is to be."""

    def __call__(self, client: Any) -> None:
        """Change the rows; `client` is one of the application."""
        app = client.application
        modules = [sys.modules[name] for name in self.modules if name in sys.modules]
        for connection in _connections(app, modules):
            for table, column, old, new in self.values:
                place = _quoted(column)
                update = f"UPDATE {_quoted(table)} SET {place} = ? WHERE {place} = ?"
                with suppress(sqlite3.Error):  # another database has no such table
                    connection.execute(update, (new, old))
            connection.commit()


def row_of(
    value: str, sent: Sequence[str], app: Any, modules: Sequence[ModuleType]
) -> StoredRow | None:
    """Return where `value` is stored; a column that holds something of `sent` names the row."""
    for connection in _connections(app, modules):
        rows = list(stored_rows(connection))
        for table, row in rows:
            for column, held in row.items():
                if held == value:
                    others = [each for name, each in rows if name == table and each is not row]
                    named = _naming(row, column, sent, others)
                    if named is None:
                        return None
                    return StoredRow(table, column, *named, _drawn(row, (column, named[0])))
    return None


def put_fixture(name: str, row: StoredRow, maker: str, client: str, opening: Sequence[str]) -> str:
    """Return the source of a fixture that gives rows of a table a value.

    `opening` are statements that give ``connection``; they know ``app``.  Empty where the
    fixture ``databases`` of the written ``conftest.py`` has the connections.
    """
    imports, made = MAKERS.get(maker, ("", "value"))
    beside = () if imports else row.beside
    columns = ", ".join(f"{_quoted(each)} = ?" for each in (row.column, *(c for c, _v in beside)))
    update = f"UPDATE {_quoted(row.table)} SET {columns} WHERE {_quoted(row.name_column)} = ?"
    argument = "password" if imports else "value"
    made = ", ".join(
        (made.format(password="password"), *(column.lower() for column, _value in beside))
    )
    argument = ", ".join((argument, *(column.lower() for column, _value in beside)))
    text = _IN_SANDBOX if not opening else _OF_PROJECT
    return text.format(
        name=name,
        client=client,
        what="a password" if imports else "a value",
        argument=argument,
        imports=f"    {imports}\n\n" if imports else "",
        made=made,
        update=f"'{update}'",
        opening="\n".join(f"        {line}" if line else "" for line in opening),
    )


_IN_SANDBOX = '''\
@pytest.fixture
def {name}({client}, databases):
    """Give a row {what} that tests know, as the application stores it."""
{imports}    opened, _handed_out = databases

    def {name}(name, {argument}):
        values = ({made}, name)
        for connection in opened:
            with suppress(sqlite3.OperationalError):  # another database has no such table
                connection.execute(
                    {update}, values
                )
            connection.commit()

    return {name}
'''

_OF_PROJECT = '''\
@pytest.fixture
def {name}({client}):
    """Give a row {what} that tests know, as the application stores it."""
    import sqlite3

{imports}    app = {client}.application

    def {name}(name, {argument}):
        values = ({made}, name)
{opening}
        connection.execute(
            {update}, values
        )
        connection.commit()

    return {name}
'''


def _naming(
    row: Mapping[str, object],
    column: str,
    sent: Sequence[str],
    others: Sequence[Mapping[str, object]],
) -> tuple[str, str | int] | None:
    """Return a column with a value that no other row has: sent, usual for a name, short, a key."""
    held = [
        (name, value)
        for name, value in row.items()
        if name != column and _is_name(value) and all(one.get(name) != value for one in others)
    ]
    preferred = [
        *(pair for pair in held if str(pair[1]) in sent),
        *(pair for name in NAME_COLUMNS for pair in held if pair[0].lower() == name),
        *(pair for pair in held if isinstance(pair[1], str)),
        *held,
    ]
    for name, value in preferred:
        if isinstance(value, (str, int)):
            return name, value
    return None


def _drawn(row: Mapping[str, object], but: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the columns on whose values a hash may depend, as they are other ones in each run."""
    return tuple(
        (name, value)
        for name, value in row.items()
        if name not in but
        and isinstance(value, str)
        and _CHANCE.fullmatch(value)
        and any(map(str.isdigit, value))
    )


_CHANCE = re.compile(r"[A-Za-z0-9+/=_.$-]{6,128}")


def _is_name(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_NAME
    return isinstance(value, int) and not isinstance(value, bool)


def _connections(app: Any, modules: Sequence[ModuleType]) -> Iterator[sqlite3.Connection]:
    for database in find_databases(app, modules, active_connections()):
        with suppress(sqlite3.Error), _opened(database) as connection:
            yield connection


@contextmanager
def _opened(database: Any) -> Iterator[sqlite3.Connection]:
    if isinstance(database, FileDatabase):
        with closing(connect_directly(str(database.path), timeout=0.1)) as connection:
            yield connection
    else:
        yield database.connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
