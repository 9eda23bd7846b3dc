"""Loads a script of SQL beside the code into a throw-away SQLite database that has no tables.

Small projects keep their tables and first rows in a file such as ``database/club.sql``, which its
author loads by hand once. A script counts only if SQLite runs all of it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.folder_names import FOREIGN
from pytest_evosearch.core.folder_names import TESTS
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

LARGEST_SCRIPT = 1_000_000
"""Bytes of a script that is still loaded: longer ones are dumps, which take seconds."""

MOST_SCRIPTS = 8

DEEPEST = 4
"""Folders below the root in which scripts are searched."""


def loading_statements(app: Any, root: Path, scripts: Sequence[Path]) -> Iterator[str]:
    """Yield statements that load one of `scripts` into one empty database that `app` has opened."""
    databases = list(_empty_databases(root))
    for script in scripts:
        for database in databases:
            yield _statement(_place(app, script), _place(app, database))


def _statement(script: str, database: str) -> str:
    return (
        "import sqlite3\nfrom contextlib import closing\nfrom pathlib import Path\n\n"
        f"with closing(sqlite3.connect({database})) as database:\n"
        f'    database.executescript({script}.read_text(encoding="utf-8"))'
    )


def _place(app: Any, path: Path) -> str:
    """Write a path from the application's folder, so that other machines have it, too."""
    place = Path(os.path.relpath(path, app.root_path)).as_posix()
    return f"Path(application.root_path, {json.dumps(place)})"


def _empty_databases(root: Path) -> Iterator[Path]:
    """Yield files of the project that were opened, do not exist there, and have no table."""
    connections = active_connections()
    for original, copy in (connections.copies if connections is not None else {}).items():
        if original.is_relative_to(root) and not original.exists() and _is_empty(copy):
            yield original


def _is_empty(path: Path) -> bool:
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
        return _has_no_table(database)
    return False


def scripts_below(root: Path) -> list[Path]:
    """Return scripts that make tables, those near the root first."""
    found = []
    for folder, folders, names in os.walk(root):
        depth = len(Path(folder).relative_to(root).parts)
        folders[:] = sorted(
            name for name in folders if name not in FOREIGN | TESTS and not name.startswith(".")
        )
        if depth >= DEEPEST:
            folders.clear()
        paths = (Path(folder, name) for name in sorted(names) if name.lower().endswith(".sql"))
        found += [(depth, path) for path in paths if _makes_tables(path)]
    return [path for _depth, path in sorted(found)[:MOST_SCRIPTS]]


def _makes_tables(path: Path) -> bool:
    """Say whether SQLite runs the whole script in an empty database, and tables are in it then."""
    with suppress(OSError, UnicodeDecodeError, sqlite3.Error):
        if path.stat().st_size > LARGEST_SCRIPT:
            return False
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(path.read_text(encoding="utf-8"))
            return not _has_no_table(database)
    return False


def _has_no_table(database: sqlite3.Connection) -> bool:
    found = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(found == (0,))
