"""Spares verification runs work whose result no test can see.

Most projects make their application anew for each test, and the database with it.  Of a run of 167
such tests (34 routes, SQLite) half the time went into two things, which are spared here:

    builders of URLs   Werkzeug compiles two functions for each route of a map; here each is
                       compiled when it is called first, and most are never called
    SQLite's commits   wait for the disk; here databases in the temporary folder and in the project
                       do not wait, and the former keep their rollback journals in memory, as they
                       do during a search: what stands in a project's file comes back in the end

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_HURRIED``); the run of
the tests as they are is spared nothing.  So it imports nothing of pytest-evosearch.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
import sqlite3.dbapi2
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any

# The application may replace them.
_real_path, _decoded = os.path.realpath, os.fsdecode


def compiled_when_called(
    compile_builder: Callable[..., Callable[..., Any]],
) -> Callable[..., Callable[..., Any]]:
    """Return what stands in for `Rule._compile_builder`: its result compiles itself."""

    def compile_later(rule: Any, append_unknown: bool = True) -> Callable[..., Any]:
        compiled: list[Callable[..., Any]] = []

        # A variable of a route may be called "self".
        def build(bound: Any, /, **values: Any) -> Any:
            if not compiled:
                compiled.append(compile_builder(rule, append_unknown))
            return compiled[0](bound, **values)

        return build

    return compile_later


def not_waiting_for_the_disk(
    connect: Callable[..., sqlite3.Connection], folder: str, project: str
) -> Callable[..., sqlite3.Connection]:
    """Return what stands in for `sqlite3.connect`: databases below two folders do not wait.

    Those of the `project` keep their journals on the disk, wherever it lies: the process may die.
    """
    temporary, projects_own = _beginning(folder), _beginning(project)

    def connect_and_hurry(database: Any, *arguments: Any, **keywords: Any) -> sqlite3.Connection:
        connection = connect(database, *arguments, **keywords)
        path = _path_of(database)
        if path.startswith(projects_own):
            wait_no_longer(connection)
        elif path.startswith(temporary):
            hurry(connection)
        return connection

    return connect_and_hurry


def _beginning(folder: str) -> str:
    return f"{_real_path(folder)}{os.sep}"


def _path_of(database: Any) -> str:
    """Return the real path of the file that `sqlite3.connect` was given, empty for anything else.

    URIs are left alone: they may say how their file is to be opened.
    """
    try:
        path = _decoded(database)
    except TypeError:
        return ""
    return "" if not path or path.startswith((":", "file:")) else _real_path(path)


def hurry(connection: sqlite3.Connection) -> None:
    """Do not wait for the disk, and keep the rollback journal in memory.

    A write-ahead log is left alone: leaving that mode changes the file.
    """
    cursor = sqlite3.Cursor(connection)
    cursor.row_factory = None
    with suppress(sqlite3.Error):
        cursor.execute("PRAGMA synchronous = OFF")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] == "delete":
            cursor.execute("PRAGMA journal_mode = MEMORY")
    cursor.close()


def wait_no_longer(connection: sqlite3.Connection) -> None:
    """Do not wait for the disk, which only a power cut would notice."""
    cursor = sqlite3.Cursor(connection)
    with suppress(sqlite3.Error):
        cursor.execute("PRAGMA synchronous = OFF")
    cursor.close()


def install() -> None:
    """Put the stand-ins in place, for the rest of the process."""
    rule: Any = importlib.import_module("werkzeug.routing.rules").Rule
    if hasattr(rule, "_compile_builder"):  # no public method
        rule._compile_builder = compiled_when_called(rule._compile_builder)
    connect = not_waiting_for_the_disk(sqlite3.connect, tempfile.gettempdir(), os.getcwd())  # noqa: PTH109 - pathlib may be patched
    modules: tuple[Any, ...] = (sqlite3, sqlite3.dbapi2)
    for module in modules:
        module.connect = connect


if os.environ.get("EVOSEARCH_VERIFY_HURRIED"):  # now: the application is imported by conftest.py
    install()
