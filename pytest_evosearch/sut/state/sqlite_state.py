"""Restores SQLite databases with the backup API, in about 0.1 ms, despite connection pools."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.shortcuts.verification_shortcuts import hurry
from pytest_evosearch.sut.state.sqlite_values import stored_values
from pytest_evosearch.sut.watching.sqlite_connections import AnyConnection
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import connect_directly
from pytest_evosearch.sut.watching.sqlite_connections import is_temporary

_BUSY_STATUSES = (5, 6)
"""SQLITE_BUSY and SQLITE_LOCKED: another connection keeps a transaction open."""
_BUSY_RETRIES = 20
_BUSY_PAUSE = 0.001
"""Seconds between two attempts; `Connection.backup` alone would wait for ever."""


class DatabaseLocked(sqlite3.OperationalError):
    """Says that a database cannot be restored: the application keeps a transaction open."""


class FileDatabase:
    """One SQLite file, kept through a connection of our own."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.path = path
        self._live: sqlite3.Connection | None = None
        self._saved: sqlite3.Connection | None = None
        self._version: tuple[Any, ...] | None = None
        self._was_free = False
        self.was_changed = False

    def snapshot(self) -> None:
        """Keep the present content."""
        self.close()
        self._live = connect_directly(str(self.path), timeout=0.1, check_same_thread=False)
        if is_temporary(self.path):
            hurry(self._live)
        self._saved = connect_directly(":memory:", check_same_thread=False)
        _backup(self._live, self._saved)
        self._version = self._present_version()
        self._was_free = not self._is_reserved()

    @property
    def is_held(self) -> bool:
        """Say whether a connection keeps a writing transaction open that it had not at first.

        Before a commit the file has not changed, but no other connection can write.
        """
        return self._live is not None and self._was_free and self._is_reserved()

    def restore(self) -> None:
        """Restore the content of the snapshot if the file was changed."""
        if self._live is None or self._saved is None:
            return
        if not self.path.exists():  # deleted: our connection still sees the unlinked file
            self._recreate()
        elif self._present_version() != self._version:
            _backup(self._saved, self._live)
            self._version = self._present_version()
            self.was_changed = True

    def values(self) -> list[tuple[str, object]]:
        """Return (column, value) pairs of the snapshot."""
        return _values_of(self._saved)

    def close(self) -> None:
        """Close both connections."""
        for connection in (self._live, self._saved):
            if connection is not None:
                connection.close()
        self._live = self._saved = None

    def _is_reserved(self) -> bool:
        assert self._live is not None
        try:
            self._live.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        self._live.rollback()
        return False

    def _present_version(self) -> tuple[Any, ...]:
        """Return a value that changes when another connection commits, or the file is replaced."""
        assert self._live is not None
        found = os.stat(self.path)
        return (found.st_ino, *self._live.execute("PRAGMA data_version").fetchone())

    def _recreate(self) -> None:
        assert self._live is not None
        assert self._saved is not None
        self._live.close()
        self._live = connect_directly(str(self.path), timeout=0.1, check_same_thread=False)
        _backup(self._saved, self._live)
        self._version = self._present_version()


class MemoryDatabase:
    """One in-memory database, which exists as long as its only connection."""

    def __init__(self, name: str, connection: sqlite3.Connection) -> None:
        self.name = name
        self._live = connection
        self._saved: sqlite3.Connection | None = None
        self._version: tuple[int, ...] = ()
        self.was_changed = False

    @property
    def connection(self) -> sqlite3.Connection:
        """The application's own connection."""
        return self._live

    def snapshot(self) -> None:
        """Keep the present content, including that of an open transaction.

        The first call of a test sees it, too. A copy waits until the transaction has ended.
        """
        self.close()
        self._live.commit()
        self._saved = connect_directly(":memory:", check_same_thread=False)
        _backup(self._live, self._saved)
        self._version = self._present_version()

    def restore(self) -> None:
        """Restore the content of the snapshot if the connection has changed something."""
        if self._saved is None:
            return
        if self._live.in_transaction:
            self._live.rollback()
        if self._present_version() != self._version:
            _backup(self._saved, self._live)
            self._version = self._present_version()
            self.was_changed = True

    def values(self) -> list[tuple[str, object]]:
        """Return (column, value) pairs of the snapshot."""
        return _values_of(self._saved)

    def close(self) -> None:
        """Forget the kept content."""
        if self._saved is not None:
            self._saved.close()
        self._saved = None

    def _present_version(self) -> tuple[int, ...]:
        schema = self._plain("PRAGMA schema_version")
        return (self._live.total_changes, schema)

    def _plain(self, statement: str) -> int:
        """Run `statement` without the application's row factory."""
        cursor = sqlite3.Cursor(self._live)
        cursor.row_factory = None
        (value,) = cursor.execute(statement).fetchone()
        cursor.close()
        return int(value)


class SqliteKeeper:
    """Keeps every SQLite database that the application has opened or configured."""

    def __init__(
        self, databases: list[FileDatabase | MemoryDatabase], sessions: Sequence[Any] = ()
    ) -> None:
        self._databases = databases
        self._sessions = sessions
        self._followed: SqliteConnections | None = None

    def follow(self, connections: SqliteConnections) -> None:
        """Keep files, too, that are opened later, until `close`."""
        self._followed = connections
        connections.listeners.append(self.add_file)

    def add_file(self, path: Path) -> None:
        """Keep the present content of a file that is about to be opened for the first time."""
        database = FileDatabase(path)
        if not any(database.path == known.path for known in self._files()):
            database.snapshot()
            self._databases.append(database)

    def _files(self) -> list[FileDatabase]:
        return [database for database in self._databases if isinstance(database, FileDatabase)]

    @property
    def files(self) -> tuple[Path, ...]:
        """The kept files."""
        return tuple(database.path for database in self._files())

    @property
    def count(self) -> int:
        """How many databases are known now."""
        return len(self._databases)

    @property
    def was_changed(self) -> bool:
        """Say whether calls have changed a database, so that it was restored."""
        return any(database.was_changed for database in self._databases)

    def values(self, skip: int = 0) -> list[tuple[str, object]]:
        """Return (column, value) pairs of every database except the first `skip`."""
        return [pair for database in self._databases[skip:] for pair in database.values()]

    @property
    def description(self) -> str:
        """``1 SQLite file``, ``2 SQLite databases``; empty without any."""
        if not self._databases:
            return ""
        kind = "file" if len(self._files()) == len(self._databases) else "database"
        count = len(self._databases)
        return f"{count} SQLite {kind}{'s' if count != 1 else ''}"

    def snapshot(self) -> None:
        """Keep the content of every database."""
        for session in self._sessions:
            end_session(session)
        for database in self._databases:
            database.snapshot()

    def restore(self) -> None:
        """Restore every database; end sessions that could still see the old content."""
        for session in self._sessions:
            end_session(session)
        for database in self._databases:
            _restore_patiently(database)

    def close(self) -> None:
        """Close every connection, and keep no more files."""
        if self._followed is not None:
            self._followed.listeners.remove(self.add_file)
            self._followed = None
        for database in self._databases:
            database.close()


def _values_of(saved: sqlite3.Connection | None) -> list[tuple[str, object]]:
    if saved is None:
        return []
    try:
        return list(stored_values(saved))
    except sqlite3.Error:  # virtual tables whose module is not loaded, text that is not UTF-8
        return []


def _restore_patiently(database: FileDatabase | MemoryDatabase) -> None:
    """Restore; retry when garbage (a cursor in a traceback) or a transaction holds a lock."""
    if isinstance(database, FileDatabase) and database.is_held:
        gc.collect()
        release_transactions()
    try:
        database.restore()
    except sqlite3.OperationalError:  # an exclusive lock refuses even reads
        gc.collect()
        release_transactions()
        database.restore()


def _backup(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy `source` over `target`; raise `DatabaseLocked` instead of waiting for ever."""
    tries = 0

    def give_up(status: int, _remaining: int, _total: int) -> None:
        nonlocal tries
        tries += status in _BUSY_STATUSES
        if tries > _BUSY_RETRIES:
            raise DatabaseLocked("the application holds a transaction open")

    source.backup(target, progress=give_up, sleep=_BUSY_PAUSE)


def release_transactions() -> None:
    """Roll back transactions that the application left open on any SQLite connection."""
    for found in living(AnyConnection):
        with suppress(sqlite3.Error):
            if found.in_transaction:
                found.rollback()


def end_session(registry: Any) -> None:
    """Remove the session of a plain `scoped_session`; roll back sessions of contexts.

    Flask-SQLAlchemy scopes sessions by application context. A fixture may keep a context open, and
    its objects must stay usable.
    """
    inner = getattr(registry, "registry", None)
    sessions = getattr(inner, "registry", None)
    if isinstance(sessions, dict):
        for session in list(sessions.values()):
            with suppress(Exception):
                session.rollback()
                session.expire_all()
    else:
        with suppress(Exception):
            registry.remove()
