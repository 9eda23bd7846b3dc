"""Reports statements of drivers to the query watch, before they run.

Cursor classes written in Python get another `execute`. Psycopg 2 has a class in C, and reads the
cursor class from an attribute of each connection.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from collections.abc import Hashable
from contextlib import closing
from dataclasses import field
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.driver import Driver
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.queries.cursors import answered
from pytest_evosearch.sut.queries.cursors import watched_cursor
from pytest_evosearch.sut.queries.row_nearness import RowsUnavailableError
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.watch import QueryWatch

IDLE, FAILED = 0, 3
"""States of a transaction, with libpq's numbers."""

_SAVEPOINT = "evosearch_rows"

MOST_PROVEN = 20_000
"""Most queries that are remembered with their values."""

_DIALECTS = {POSTGRESQL: "postgres", MYSQL: "mysql"}
"""sqlglot's name for each dialect."""


Proven = tuple[str, tuple[Hashable, ...]]
"""The text of a query, and the shapes of its values."""


@dataclass
class SeenStatements:
    """Replaces functions of cursor classes, when a driver opens its first connection."""

    watching: Callable[[], QueryWatch | None]
    own_session: Callable[[Driver, str], OwnSession | None]
    """Opens a session of ours to the database of this name."""
    proven: set[Proven] = field(default_factory=set)
    """Queries that have succeeded once; after a failure, a server refuses all others."""
    _changed: set[type[Any]] = field(default_factory=set)
    _patches: Patches = field(default_factory=Patches)
    _derived: dict[type[Any], type[Any]] = field(default_factory=dict)

    def watch(self, driver: Driver, connection: Any) -> None:
        """Watch the cursors of an open connection."""
        for name in driver.cursors:
            module, _, kind = name.rpartition(".")
            cursor = getattr(sys.modules.get(module), kind, None)
            if cursor is not None and cursor not in self._changed:
                self._replace_execute(driver, cursor)
        if driver.cursor_factory is not None:
            base = connection.cursor_factory or driver.cursor_factory()
            connection.cursor_factory = self._class_of(driver, base)

    def _replace_execute(self, driver: Driver, kind: type[Any]) -> None:
        real = kind.execute
        self._changed.add(kind)
        reader_of = partial(_DriverRows, self, driver)

        @functools.wraps(real)
        def execute(cursor: Any, query: Any, *arguments: Any, **named: Any) -> Any:
            watch = self.watching()
            question = None
            if watch is not None and not watch.is_reading:
                given = arguments[0] if arguments else next(iter(named.values()), None)
                question = watch.ask(query, given, dialect_of(driver), True, reader_of(cursor))
            try:
                result = real(cursor, query, *arguments, **named)
            except Exception as error:
                if watch is not None:
                    watch.note_refusal(error, reader_of(cursor))
                raise
            pending = answered(question, cursor, counts_rows=True)
            if pending is not None:
                pending.presume()
            return result

        self._patches.setattr(kind, "execute", execute)

    def _class_of(self, driver: Driver, base: type[Any]) -> type[Any]:
        if base in self._derived.values():
            return base
        if base not in self._derived:
            reader_of = partial(_DriverRows, self, driver)
            self._derived[base] = watched_cursor(
                base, self.watching, dialect_of(driver), formats=True, reader_of=reader_of
            )
        return self._derived[base]

    def prove(self, proof: Proven) -> None:
        """Note that a query has succeeded with values of these shapes."""
        if len(self.proven) >= MOST_PROVEN:
            self.proven.clear()
        self.proven.add(proof)

    def undo(self) -> None:
        """Restore the functions of the classes."""
        self._patches.undo()
        self._changed.clear()


def dialect_of(driver: Driver) -> str:
    """Return sqlglot's name for the SQL dialect of a driver."""
    return _DIALECTS[driver.dialect]


class _DriverRows:
    """Reads rows through the connection of a cursor, without harm to its transaction."""

    def __init__(self, seen: SeenStatements, driver: Driver, cursor: Any) -> None:
        self._seen = seen
        self._driver = driver
        self._cursor = cursor

    def read(self, query: RowQuery, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the rows; use a savepoint for a query that has not yet succeeded."""
        connection = self._driver.connection_of(self._cursor)
        text, parameters = query.spelled(values, "%s")
        if query.apart and self._has_failed(connection):
            return self._read_apart(connection, text)
        proof = text, tuple(map(_shape, parameters))
        guarded = self._driver.dialect == POSTGRESQL and self._needs_savepoint(
            connection, proof, query.may_fail
        )
        with closing(self._driver.plain_cursor(connection)) as cursor:
            if not guarded:
                return _rows(cursor, text, parameters)
            cursor.execute(f"SAVEPOINT {_SAVEPOINT}")
            try:
                rows = _rows(cursor, text, parameters)
            except BaseException:
                cursor.execute(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
                raise
            cursor.execute(f"RELEASE SAVEPOINT {_SAVEPOINT}")
            self._seen.prove(proof)
            return rows

    def _read_apart(self, connection: Any, text: str) -> list[tuple[Any, ...]]:
        """Read on a session of ours: a failed transaction answers no queries."""
        session = self._seen.own_session(self._driver, str(connection.info.dbname))
        if session is None:
            raise RowsUnavailableError
        with closing(session):
            return session.run(text)

    def _has_failed(self, connection: Any) -> bool:
        if self._driver.dialect != POSTGRESQL:
            return False
        return int(connection.info.transaction_status) == FAILED

    def _needs_savepoint(self, connection: Any, proof: Proven, may_fail: bool) -> bool:
        state = int(connection.info.transaction_status)
        if state == FAILED:
            raise RowsUnavailableError
        is_proven = proof in self._seen.proven and not may_fail
        return not is_proven and not (connection.autocommit and state == IDLE)


def _rows(cursor: Any, text: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    cursor.execute(*((text, parameters) if parameters else (text,)))
    return [tuple(row) for row in cursor.fetchall()]


def _shape(value: Any) -> Hashable:
    """Return the properties of a value that decide whether a column can be compared with it.

    A server may refuse a text that is no number, no date, or no member of an enumeration. It may
    refuse a number that is too large for a column's type.
    """
    if value is None or isinstance(value, bool):
        return type(value).__name__
    if type(value) is int:
        return next((size for size in (15, 31, 63) if value.bit_length() <= size), repr(value))
    return type(value), repr(value)
