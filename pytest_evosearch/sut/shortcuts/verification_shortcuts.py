"""Saves work in verification runs whose result no test can see.

Most projects recreate their application and its database for each test. Two steps take much of the
time, and are saved here:

    builders of URLs   Werkzeug compiles two functions for each route of a map; here each is
                       compiled when it is called first, and most are never called
    SQLite's commits   wait for the disk; here databases in the temporary folder and in the project
                       do not wait, and the former keep their rollback journals in memory, as they
                       do during a search: a project's file is restored at the end

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_HURRIED``); the run of
the unchanged tests has no shortcuts. So this file imports nothing from pytest-evosearch.
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

# The application may replace these functions.
_real_path, _decoded = os.path.realpath, os.fsdecode


def compiled_when_called(
    compile_builder: Callable[..., Callable[..., Any]],
) -> Callable[..., Callable[..., Any]]:
    """Return a replacement for `Rule._compile_builder`: its result compiles itself when called."""

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
    """Return a replacement for `sqlite3.connect`: databases below two folders do not wait.

    They do not wait for the disk. Databases of the `project` keep their journals on disk: the
    process may die.
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
    """Return the real path of the file passed to `sqlite3.connect`, empty for anything else.

    URIs do not count: they may contain settings for their file.
    """
    try:
        path = _decoded(database)
    except TypeError:
        return ""
    return "" if not path or path.startswith((":", "file:")) else _real_path(path)


def hurry(connection: sqlite3.Connection) -> None:
    """Do not wait for the disk, and keep the rollback journal in memory.

    A write-ahead log stays, because leaving that mode changes the file.
    """
    cursor = sqlite3.Cursor(connection)
    cursor.row_factory = None
    with suppress(sqlite3.Error):
        cursor.execute("PRAGMA synchronous = OFF")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] == "delete":
            cursor.execute("PRAGMA journal_mode = MEMORY")
    cursor.close()


def wait_no_longer(connection: sqlite3.Connection) -> None:
    """Do not wait for the disk: only a power cut would show the difference."""
    cursor = sqlite3.Cursor(connection)
    with suppress(sqlite3.Error):
        cursor.execute("PRAGMA synchronous = OFF")
    cursor.close()


def install() -> None:
    """Install the replacements for the rest of the process."""
    rule: Any = importlib.import_module("werkzeug.routing.rules").Rule
    if hasattr(rule, "_compile_builder"):  # a private method
        rule._compile_builder = compiled_when_called(rule._compile_builder)
    connect = not_waiting_for_the_disk(sqlite3.connect, tempfile.gettempdir(), os.getcwd())  # noqa: PTH109 - pathlib may be patched
    modules: tuple[Any, ...] = (sqlite3, sqlite3.dbapi2)
    for module in modules:
        module.connect = connect


if os.environ.get("EVOSEARCH_VERIFY_HURRIED"):  # now, because conftest.py imports the application
    install()
