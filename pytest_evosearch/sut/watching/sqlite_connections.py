"""Watches openings of SQLite databases, and may open copies instead.

`sqlite3.connect` is what applications call, `sqlite3.dbapi2.connect` what SQLAlchemy calls; both
are replaced, before the application is imported. So is `sqlite3.Connection`, because some
applications derive a class from it that opens the file itself.
"""

from __future__ import annotations

import shutil
import sqlite3
import sqlite3.dbapi2
import tempfile
import urllib.parse
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.queries.cursors import watched_cursor
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.watch import QueryWatch
from pytest_evosearch.sut.shortcuts.verification_shortcuts import hurry
from pytest_evosearch.sut.shortcuts.verification_shortcuts import wait_no_longer
from pytest_evosearch.sut.watching.rows_of_people import leave_people_out

connect_directly = sqlite3.connect
"""The real function, for our own connections."""

AnyConnection = sqlite3.Connection
"""The real class; every connection is an instance of it."""

_FACTORY = 4
_URI = 6
"""Positions of two arguments of `sqlite3.connect` after the first."""

_SIDE_FILES = ("-wal", "-journal")
"""Files beside a database with committed or half-written pages (``-shm`` is rebuilt)."""


@dataclass
class SqliteConnections:
    """The opened files, in the order of their first opening, by real path."""

    files: list[Path] = field(default_factory=list)
    """Files that the application really uses (the copies, where there are copies)."""
    copies: dict[Path, Path] = field(default_factory=dict)
    """Original file -> its throw-away copy."""
    copy_folder: Path | None = None
    """Folder for copies; None to open the files themselves."""
    protected: Path | None = None
    """The project: its files are copied even below the temporary folder."""

    withheld: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    """Original file -> the tables whose rows its copy lacks, as people are in them."""

    by_class: bool = False
    """Whether a class of the application derived from `sqlite3.Connection` opened some copy."""
    listeners: list[Callable[[Path], None]] = field(default_factory=list)
    """Called with a file before it is opened for the first time."""
    located: dict[str, tuple[Path, bool]] = field(default_factory=dict)
    """Name in an opening -> the real file, and whether it is temporary."""
    own_time: OwnTime = field(default_factory=OwnTime)
    """Measures the time for making copies, and for reading rows of tables."""
    trace: Callable[[str], None] | None = None
    """Called with every statement on a connection opened through the hook."""

    weigh: Callable[[str], None] | None = None
    """Called with every statement, too, to see which values it looks for."""

    queries: QueryWatch | None = None
    """Asked about every statement before it runs, with its parameters."""

    def note_statement(self, statement: str) -> None:
        """Pass a statement, with its bound values written out, to the listeners."""
        if self.queries is not None and self.queries.is_reading:
            return
        if self.weigh is not None:
            self.weigh(statement)
        if self.trace is not None:
            self.trace(statement)

    def locate(self, path: Path) -> tuple[Path, bool]:
        """Return the file to open for `path`, and whether it is in the temporary folder.

        The result is remembered, because finding real paths takes longer than opening the file.
        """
        name = str(path) if path.is_absolute() else os.path.join(os.getcwd(), path)
        known = self.located.get(name)
        if known is None:
            with self.own_time.counted():
                opened = self.resolve(path)
            known = self.located[name] = opened, is_temporary(opened)
        return known

    def resolve(self, path: Path) -> Path:
        """Return the file to open for `path`: itself, or its copy, which is made if necessary."""
        path = absolute(path)
        opened = path if self._is_free(path) else self._copy_of(path)
        if opened not in self.files:
            self.files.append(opened)
            for listener in self.listeners:
                listener(opened)
        return opened

    def _is_free(self, path: Path) -> bool:
        return self.copy_folder is None or is_throw_away(path, self.copy_folder, self.protected)

    def _copy_of(self, path: Path) -> Path:
        assert self.copy_folder is not None
        if path not in self.copies:
            folder = self.copy_folder / "databases" / str(len(self.copies))
            folder.mkdir(parents=True, exist_ok=True)
            copy = folder / path.name
            for suffix in ("", *_SIDE_FILES):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
            if emptied := leave_people_out(copy, connect_directly) if copy.exists() else ():
                self.withheld[path] = emptied
            self.copies[path] = copy
        return self.copies[path]


@contextmanager
def watched_connections(
    copy_folder: Path | None = None, protected: Path | None = None
) -> Iterator[SqliteConnections]:
    """Record which SQLite files are opened; with `copy_folder`, open copies made there.

    Files below the temporary folder, but not below `protected`, are never copied. Connections do
    not wait for the disk (``synchronous = OFF``): no data of a search must survive a power cut.
    Inside the block of another call, a call without `copy_folder` changes nothing.
    """
    active = active_connections()
    if active is not None and copy_folder is None:
        yield active
        return
    connections = SqliteConnections(copy_folder=copy_folder, protected=protected)
    if active is not None:
        connections.weigh, connections.queries = active.weigh, active.queries
    with installed_hook() as hook:
        hook.watching.append(connections)
        try:
            yield connections
        finally:
            hook.watching.remove(connections)


def active_connections() -> SqliteConnections | None:
    """Return the record of the innermost block, None outside all blocks."""
    hook = _active_hook()
    return hook.watching[-1] if hook is not None and hook.watching else None


def withheld_tables() -> dict[str, tuple[str, ...]]:
    """Return the names of databases with the tables whose rows their copies lack."""
    connections = active_connections()
    withheld = connections.withheld if connections is not None else {}
    return {path.name: tables for path, tables in withheld.items()}


@contextmanager
def installed_hook() -> Iterator[ConnectionHook]:
    """Install the replacements, unless they are installed; no listener is called yet.

    Enter it before modules of the application are imported, because those keep what they import by
    name from `sqlite3`.
    """
    active = _active_hook()
    if active is not None:
        yield active
        return
    hook = ConnectionHook(sqlite3.connect, sqlite3.Connection)
    modules: tuple[Any, ...] = (sqlite3, sqlite3.dbapi2)
    for module in modules:
        module.connect = hook.connect
        module.Connection = hook.connection_class
    try:
        yield hook
    finally:
        for module in modules:
            module.connect = hook.real_connect
            module.Connection = hook.real_class


def _active_hook() -> ConnectionHook | None:
    hook = getattr(sqlite3.connect, "__self__", None)
    return hook if isinstance(hook, ConnectionHook) else None


class ConnectionHook:
    """The replacements for the function and for the class, and their listeners."""

    def __init__(
        self,
        real_connect: Callable[..., sqlite3.Connection],
        real_class: type[sqlite3.Connection],
    ) -> None:
        self.real_connect = real_connect
        self.real_class = real_class
        self.connection_class = _watched_class(real_class, self)
        self.watching: list[SqliteConnections] = []
        """The innermost is last, and chooses the file first."""

    def watching_queries(self) -> QueryWatch | None:
        """Return the watch that examines statements now."""
        return self.watching[-1].queries if self.watching else None

    def connect(self, database: Any, *arguments: Any, **keywords: Any) -> sqlite3.Connection:
        """Open a database, or its copy."""
        if len(arguments) <= _FACTORY:
            keywords.setdefault("factory", self.connection_class)
        path, rebuild = _file_of(database, _is_uri(arguments, keywords))
        temporary = False
        if path is not None:
            opened, temporary = self.locate(path)
            database = rebuild(opened)
        connection = self.real_connect(database, *arguments, **keywords)
        if not isinstance(connection, self.connection_class):
            self.prepare(connection, temporary=temporary, is_file=path is not None)
        return connection

    def locate(self, path: Path) -> tuple[Path, bool]:
        """Return the file to open for `path`, and whether to hurry with it."""
        temporary = False
        for connections in reversed(self.watching):
            path, temporary = connections.locate(path)
        return path, temporary

    def prepare(self, connection: sqlite3.Connection, *, temporary: bool, is_file: bool) -> None:
        """Watch the statements of an open connection, if there is a listener."""
        if temporary:
            hurry(connection)
        elif is_file and self.watching:
            wait_no_longer(connection)
        if self.watching:
            connection.set_trace_callback(self.watching[-1].note_statement)

    def note_class(self, copy: Path) -> None:
        """Remember that a class of the application opened this copy itself."""
        for connections in self.watching:
            connections.by_class |= copy in connections.copies.values()


def _watched_class(
    real: type[sqlite3.Connection], hook: ConnectionHook
) -> type[sqlite3.Connection]:
    """Return the class that replaces `sqlite3.Connection`, and opens copies, too.

    The hook's `connect` has already located the files that it opens with this class. Its cursors
    report their statements, except when the application has its own cursor class.
    """
    cursors = watched_cursor(
        sqlite3.Cursor, hook.watching_queries, "sqlite", formats=False, reader_of=_SqliteRows
    )

    class Connection(real):  # type: ignore[misc, valid-type]
        def __init__(self, database: Any, *arguments: Any, **keywords: Any) -> None:
            path, rebuild = _file_of(database, _is_uri(arguments, keywords))
            temporary = False
            if path is not None:
                opened, temporary = hook.locate(path)
                if opened != path:
                    database = rebuild(opened)
                    hook.note_class(opened)
            super().__init__(database, *arguments, **keywords)
            hook.prepare(self, temporary=temporary, is_file=path is not None)

        def cursor(self, factory: Any = cursors) -> Any:
            return super().cursor(factory)

        def execute(self, sql: Any, *parameters: Any) -> Any:
            # The real method does not call `execute` of its cursor.
            try:
                return self.cursor().execute(sql, *parameters)
            finally:
                del self  # an error refers to this frame, and would keep the connection

    Connection.__qualname__ = "Connection"
    Connection.__module__ = "sqlite3"
    return Connection


class _SqliteRows:
    """Reads rows through the connection of a cursor."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._connection = cursor.connection

    def read(self, query: RowQuery, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the rows as tuples, whatever row factory the application uses."""
        with closing(sqlite3.Cursor(self._connection)) as cursor:
            cursor.row_factory = None
            return cursor.execute(*query.spelled(values, "?")).fetchall()


def _is_uri(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    return bool(keywords.get("uri", arguments[_URI] if len(arguments) > _URI else False))


def _file_of(database: Any, uri: bool) -> tuple[Path | None, Callable[[Path], Any]]:
    """Return the file in `database`, and a function that returns the argument for another file."""
    try:
        text = os.fsdecode(database)
    except TypeError:
        return None, lambda path: path
    if uri and text.startswith("file:"):
        parts = urllib.parse.urlsplit(text)
        name = urllib.parse.unquote(parts.path)
        if not name or name == ":memory:" or "mode=memory" in parts.query:
            return None, lambda path: path
        return Path(name), lambda path: f"{path.as_uri()}?{parts.query}"
    if text in ("", ":memory:"):
        return None, lambda path: path
    return Path(text), str


def absolute(path: Path) -> Path:
    """Return the real path of a file."""
    return Path(os.path.realpath(path))


def is_temporary(path: Path) -> bool:
    """Say whether `path` lies below the temporary folder."""
    return absolute(path).is_relative_to(os.path.realpath(tempfile.gettempdir()))


def is_throw_away(path: Path, folder: Path, protected: Path | None) -> bool:
    """Say whether `path` may be changed freely.

    It may in the sandbox's own `folder`, and in the temporary folder unless the project
    (`protected`) is there, too.
    """
    path = absolute(path)
    if path.is_relative_to(absolute(folder)):
        return True
    if protected is not None and path.is_relative_to(absolute(protected)):
        return False
    return is_temporary(path)
