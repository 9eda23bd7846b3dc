"""Puts known values into rows: a hash of a password that the search has chosen.

A fixture finds the row by another column, ``known_password("editor", "Cedar-2041")``. The search
runs the text of this very fixture before the first request of a user, so what lets in can be
written. The run's state keeper restores the row, and what restores databases in written tests.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import suppress
from inspect import signature
from itertools import dropwhile
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import fixture_function
from pytest_evosearch.sut.fixture_texts.database_text import IMPORTING
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.fixture_texts.database_text import uses_application
from pytest_evosearch.sut.passwords.password_libraries import fixture_code
from pytest_evosearch.sut.row_values import quoted
from pytest_evosearch.sut.state.sqlite_places import KnownDatabases
from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.state.sqlite_places import opened
from pytest_evosearch.sut.state.sqlite_places import rows_by_database
from pytest_evosearch.sut.users.accounts import NAME_COLUMNS
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

_IMPORTED = "import sqlite3\nfrom contextlib import suppress\n\n"
"""What stands above the fixtures in a written ``conftest.py``."""

LONGEST_NAME = 60

LONGEST_HASH = 200
"""Bytes: longer ones are pictures and documents."""


@dataclass(frozen=True)
class StoredRow:
    """A value in a row, and the columns that identify the row."""

    table: str
    column: str
    name_column: str
    name: str | int
    beside: tuple[tuple[str, str | bytes], ...] = ()
    """Columns of the row that look drawn by chance, with their values: salts."""


@dataclass(frozen=True)
class Put:
    """Puts a value into a row, by running the fixture that written tests get for this."""

    source: str
    """The text of the fixture (`put_fixture`)."""
    arguments: tuple[object, ...]
    """What the test gives to the fixture's function."""
    modules: tuple[str, ...]
    """Names of the application's modules, whose globals may hold connections."""
    conftest: str = "conftest.py"
    """Path of the file with the fixture."""

    def __call__(self, client: Any) -> None:
        """Change the row; `client` is one of the application."""
        fixture = fixture_function(f"{_IMPORTED}{self.source}", self.conftest)
        with suppress(Exception), ExitStack() as stack:
            requested: list[object] = [client]
            if "databases" in signature(fixture).parameters:
                requested.append((self._opened(client.application, stack), []))
            fixture(*requested)(*self.arguments)

    def _opened(self, app: Any, stack: ExitStack) -> list[sqlite3.Connection]:
        """Return what the fixture ``databases`` of a written ``conftest.py`` hands out."""
        modules = [sys.modules[name] for name in self.modules if name in sys.modules]
        found = find_databases(app, modules, active_connections())
        return [stack.enter_context(opened(database)) for database in found]


def stored_bytes(app: Any, modules: Sequence[ModuleType]) -> Iterator[bytes]:
    """Yield the bytes in the databases of an application that may be hashes."""
    for rows in rows_by_database(app, modules, active_connections()):
        for _table, row in rows:
            held = (value for value in row.values() if isinstance(value, bytes))
            yield from (value for value in held if len(value) <= LONGEST_HASH)


def values_under(column: str, statement: str, databases: KnownDatabases) -> list[object]:
    """Return the values in a column of the tables that a statement names.

    Values of rows that hold a hash or a token come first: people have them.
    """
    words = {word.lower() for word in _WORD.findall(statement)}
    found = [
        (_holds_hash(row, name), row[name])
        for rows in databases.rows()
        for table, row in rows
        for name in row
        if name.lower() == column.lower() and words.issuperset(_WORD.findall(table.lower()))
    ]
    return list(dict.fromkeys(value for _holds, value in sorted(found, key=lambda one: not one[0])))


def _holds_hash(row: Mapping[str, object], but: str) -> bool:
    """Say whether a row holds what looks like a hash, in another column than `but`."""
    return any(
        isinstance(value, bytes) or (isinstance(value, str) and _HASH.fullmatch(value))
        for name, value in row.items()
        if name != but
    )


def row_of(
    value: str | bytes, sent: Sequence[str], app: Any, modules: Sequence[ModuleType]
) -> StoredRow | None:
    """Return the row that stores `value`; a column with a text of `sent` identifies the row."""
    for rows in rows_by_database(app, modules, active_connections()):
        for table, row in rows:
            for column, held in row.items():
                if held == value:
                    others = [each for name, each in rows if name == table and each is not row]
                    named = _naming(row, column, sent, others)
                    if named is None:
                        return None
                    return StoredRow(table, column, *named, _drawn(row, (column, named[0])))
    return None


def put_fixture(
    name: str, row: StoredRow, maker: str, client: str, database: LastingDatabase | None
) -> str:
    """Return the source of a fixture that sets a value in rows of a table.

    It opens `database`; None stands for what the fixture ``databases`` of the written
    ``conftest.py`` has opened.
    """
    imports, made = fixture_code(maker) if maker else ("", "value")
    beside = () if imports else row.beside
    columns = ", ".join(f"{quoted(each)} = ?" for each in (row.column, *(c for c, _v in beside)))
    update = f"UPDATE {quoted(row.table)} SET {columns} WHERE {quoted(row.name_column)} = ?"
    argument = "password" if imports else "value"
    made = ", ".join(
        (
            made.format(password="password"),
            *(column.lower() for column, _value in beside),
        )
    )
    argument = ", ".join((argument, *(column.lower() for column, _value in beside)))
    opening = database.opening if database is not None else ()
    asked = ["import sqlite3"] if any("sqlite3." in line for line in opening) else []
    asked += database.imports if database is not None else ()
    asked += [line for line in opening if line.startswith(IMPORTING)]
    asked += [imports] if imports else []
    before = list(dict.fromkeys(asked))
    opening = tuple(dropwhile(lambda line: not line or line in asked, opening))
    before += [""] if before else []
    before += [f"app = {client}.application", ""] if uses_application(opening) else []
    closing = [database.closing] if database is not None and database.closing else []
    return (_IN_SANDBOX if database is None else _OF_PROJECT).format(
        name=name,
        client=client,
        what="a password" if imports else "a value",
        argument=argument,
        before=_indented(before, 4),
        made=made,
        update=f"'{update}'",
        opening=_indented(opening, 8),
        closing=_indented(closing, 8),
    )


def _indented(lines: Iterable[str], columns: int) -> str:
    return "".join(f"{' ' * columns}{line}\n" if line else "\n" for line in lines)


_IN_SANDBOX = '''\
@pytest.fixture
def {name}({client}, databases):
    """Give a row {what} that tests know, as the application stores it."""
{before}    opened, _handed_out = databases

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
{before}    def {name}(name, {argument}):
        values = ({made}, name)
{opening}        connection.execute(
            {update}, values
        )
        connection.commit()
{closing}
    return {name}
'''


def _naming(
    row: Mapping[str, object],
    column: str,
    sent: Sequence[str],
    others: Sequence[Mapping[str, object]],
) -> tuple[str, str | int] | None:
    """Return a column with a unique value; prefer sent values, names, short ones, keys."""
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


def _drawn(row: Mapping[str, object], but: Collection[str]) -> tuple[tuple[str, str | bytes], ...]:
    """Return the columns on whose values a hash may depend, as they are other ones in each run."""
    return tuple(
        (name, value)
        for name, value in row.items()
        if name not in but and isinstance(value, (str, bytes)) and _is_drawn(value)
    )


def _is_drawn(value: str | bytes) -> bool:
    if isinstance(value, bytes):
        return 0 < len(value) <= LONGEST_HASH
    return _CHANCE.fullmatch(value) is not None and any(map(str.isdigit, value))


_CHANCE = re.compile(r"[A-Za-z0-9+/=_.$-]{6,128}")


_HASH = re.compile(r"(?=\S*\d)[^\s/][^\s@]{15,}")
"""A text of one word with a digit, no address."""

_WORD = re.compile(r"\w+")


def _is_name(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_NAME
    return isinstance(value, int) and not isinstance(value, bool)
