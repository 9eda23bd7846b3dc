"""Finds the SQLite databases of an application, with its engines and sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.living import loaded_classes
from pytest_evosearch.sut.state.application_state import functions_of
from pytest_evosearch.sut.state.held_objects import attributes_of
from pytest_evosearch.sut.state.held_objects import held_objects
from pytest_evosearch.sut.state.kept_values import is_kind
from pytest_evosearch.sut.state.sqlite_state import FileDatabase
from pytest_evosearch.sut.state.sqlite_state import MemoryDatabase
from pytest_evosearch.sut.state.sqlite_values import stored_rows
from pytest_evosearch.sut.watching.sqlite_connections import AnyConnection
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import connect_directly

SQLITE_URL = "sqlite:///"


def find_databases(
    app: Any, modules: Iterable[ModuleType], connections: SqliteConnections | None
) -> list[FileDatabase | MemoryDatabase]:
    """Find databases by engines, module globals, settings, and opened connections.

    `connections` is the record of the connection hook. In a sandbox, it maps named files to the
    opened copies.
    """
    paths = dict.fromkeys(connections.files if connections is not None else [])
    memories: dict[int, MemoryDatabase] = {}
    named = list(configured_files(app))
    for engine in find_engines(app):
        found = _database_of(engine)
        if isinstance(found, Path):
            named.append(found)
        elif found is not None:
            memories[id(found)] = MemoryDatabase(str(engine.url), found)
    for path in named:
        if _is_database(path):
            resolved = Path(os.path.realpath(path))
            paths[connections.resolve(path) if connections is not None else resolved] = None
    for connection in _connections_in(app, modules):
        if id(connection) not in memories and not file_behind(connection):
            memories[id(connection)] = MemoryDatabase("memory", connection)
    files = [FileDatabase(path) for path in sorted(paths) if _is_database(path)]
    return [*files, *memories.values()]


def rows_by_database(
    app: Any, modules: Iterable[ModuleType], connections: SqliteConnections | None
) -> Iterator[list[tuple[str, dict[str, object]]]]:
    """Yield the first rows of each database, with their tables, as far as they can be read."""
    yield from KnownDatabases(app, modules, connections).rows()


@dataclass
class KnownDatabases:
    """The databases of an application, for repeated looks.

    To find them takes longer than many calls, as it goes through all objects of the process.  So
    they are found again only where another file was opened since, or where one cannot be read.
    """

    app: Any
    modules: Iterable[ModuleType]
    connections: SqliteConnections | None
    _found: list[FileDatabase | MemoryDatabase] = field(default_factory=list)
    _files: int | None = None
    """How many files were open when the databases were found; None before, and to find anew."""

    def rows(self) -> Iterator[list[tuple[str, dict[str, object]]]]:
        """Yield the first rows of each, with their tables, as far as they can be read."""
        files = len(self.connections.files) if self.connections is not None else 0
        if files != self._files:
            self._found = find_databases(self.app, self.modules, self.connections)
            self._files = files
        for database in self._found:
            rows: list[tuple[str, dict[str, object]]] = []
            try:
                with opened(database) as connection:
                    rows.extend(stored_rows(connection))
            except sqlite3.Error:
                self._files = None
            yield rows


@contextmanager
def opened(database: FileDatabase | MemoryDatabase) -> Iterator[sqlite3.Connection]:
    """Open a connection to a file for the block; a database in memory has its own."""
    if isinstance(database, FileDatabase):
        with closing(connect_directly(str(database.path), timeout=0.1)) as connection:
            yield connection
    else:
        yield database.connection


def find_engines(app: Any) -> list[Any]:
    """Return the SQLAlchemy engines for SQLite, the application's own first."""
    extension = app.extensions.get("sqlalchemy") if hasattr(app, "extensions") else None
    if extension is not None:
        with suppress(Exception), app.app_context():  # engines are created at the first use
            engines = getattr(extension, "engines", None)
            _ = list(engines.values()) if engines is not None else extension.db.engine
    found = living(*loaded_classes(("sqlalchemy.engine", "Engine")))
    return [one for one in found if one.dialect.name == "sqlite"]


def _database_of(engine: Any) -> Path | sqlite3.Connection | None:
    """Return the file of an engine, or the connection of its in-memory database."""
    name = engine.url.database
    if name and name != ":memory:" and "mode=memory" not in name:
        return Path(name.removeprefix("file:").partition("?")[0])
    with suppress(Exception):
        borrowed = engine.raw_connection()
        try:
            held = getattr(borrowed, "driver_connection", None) or borrowed.dbapi_connection
        finally:
            borrowed.close()
        if isinstance(held, AnyConnection):
            return held
    return None


def configured_files(app: Any) -> Iterator[Path]:
    """Yield the SQLite files that the settings of `app` name; they need not exist."""
    for key, value in getattr(app, "config", {}).items():
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str):
            continue
        if value.startswith(SQLITE_URL):
            name = value[len(SQLITE_URL) :].partition("?")[0]
            if name and name != ":memory:":
                yield Path(app.instance_path, name)
        elif _names_database(key) and "://" not in value and value not in ("", ":memory:"):
            yield Path(value)


def _names_database(key: str) -> bool:
    return "DATABASE" in key.upper() or "DB" in key.upper().split("_")


def _connections_in(app: Any, modules: Iterable[ModuleType]) -> Iterator[sqlite3.Connection]:
    """Yield the connections in globals and on the application, or that objects there hold.

    A factory may leave one to its views and hooks alone.
    """
    registered = functions_of(app) if attributes_of(app) else []
    left = [closure(layer) for _place, function in registered for layer in layers(function)]
    values = [value for held in left for value in held.values()]
    inner = [one for value in values for one in attributes_of(value).values()]
    named = [one.value for one in held_objects(app, [*modules])]
    yield from (one for one in (*named, *values, *inner) if is_kind(one, AnyConnection))


def file_behind(connection: sqlite3.Connection) -> str:
    """Return the file behind a connection, empty for one in memory."""
    cursor = sqlite3.Cursor(connection)
    cursor.row_factory = None
    try:
        return str(cursor.execute("PRAGMA database_list").fetchone()[2])
    except sqlite3.Error:
        return "closed"


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) in (b"SQLite format 3\x00", b"")
    except OSError:
        return False
