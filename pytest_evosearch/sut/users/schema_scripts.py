"""Loads a script of SQL beside the code into a throw-away database that has no tables.

Small projects keep their tables and first rows in a file such as ``database/club.sql``, which its
author loads by hand once. A script counts only if the database runs all of it.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.folder_names import FOREIGN
from pytest_evosearch.core.folder_names import TESTS
from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import TABLES
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

LARGEST_SCRIPT = 1_000_000
"""Bytes of a script that is still loaded: longer ones are dumps, which take seconds."""

MOST_SCRIPTS = 8

WANTED = r"(?ims)^ *(?:CREATE(?! DATABASE| SCHEMA| ROLE| USER)|ALTER TABLE|INSERT)\b.*?;\s*?$"
"""Statements of a script that make tables and rows; each ends at the end of a line."""

DEEPEST = 4
"""Folders below the root in which scripts are searched."""


def loading_statements(app: Any, root: Path, scripts: Sequence[Path]) -> Iterator[str]:
    """Yield statements that load one of `scripts` into one empty database that `app` has opened."""
    files = list(_empty_files(root))
    runnable = [one for one in scripts if files and _runs_in_sqlite(one)]
    for script in runnable:
        for file in files:
            yield _in_sqlite(_place(app, script), _place(app, file))
    for database in empty_servers():
        for script in scripts:
            yield _on_server(database, _place(app, script))


def _in_sqlite(script: str, database: str) -> str:
    return (
        "import sqlite3\nfrom contextlib import closing\nfrom pathlib import Path\n\n"
        f"with closing(sqlite3.connect({database})) as database:\n"
        f'    database.executescript({script}.read_text(encoding="utf-8"))'
    )


def _on_server(database: SeenDatabase, script: str) -> str:
    """Return statements that run those of a script that make tables and rows.

    Others, such as the creation of databases and users, are left out.
    """
    module = _module_of(database)
    name = json.dumps(database.place.database)
    is_mysql = database.place.dialect == MYSQL
    keyword = "database" if is_mysql else "dbname"
    first = '        cursor.execute("SET foreign_key_checks = 0")\n' if is_mysql else ""
    return (
        "import re\nfrom contextlib import closing\nfrom pathlib import Path\n\n"
        f"import {module}\n\n"
        f'script = {script}.read_text(encoding="utf-8")\n'
        f'wanted = r"{WANTED}"\n'
        f"with closing({module}.connect({keyword}={name})) as database:\n"
        f"    with closing(database.cursor()) as cursor:\n{first}"
        "        for statement in re.findall(wanted, script):\n"
        "            cursor.execute(statement)\n"
        "    database.commit()"
    )


def _place(app: Any, path: Path) -> str:
    """Write a path from the application's folder, so that other machines have it, too."""
    place = Path(os.path.relpath(path, app.root_path)).as_posix()
    return f"Path(application.root_path, {json.dumps(place)})"


def empty_servers() -> list[SeenDatabase]:
    """Return databases on servers of this run that were opened and have no table."""
    connections = active_server_connections()
    found = connections.databases.values() if connections is not None else ()
    return [
        one
        for one in found
        if one.led and one.place.dialect in TABLES and callable(_connect_of(one)) and _is_bare(one)
    ]


def _connect_of(database: SeenDatabase) -> Any:
    """Return the function that connects at once; None for drivers that want an event loop."""
    connect = getattr(sys.modules.get(_module_of(database)), "connect", None)
    return None if inspect.iscoroutinefunction(connect) else connect


def _module_of(database: SeenDatabase) -> str:
    return "mysql.connector" if database.driver == "mysql" else database.driver


def _is_bare(database: SeenDatabase) -> bool:
    own = "database()" if database.place.dialect == MYSQL else "current_schema()"
    with suppress(Exception), closing(database.open_session()) as session:
        count = "SELECT count(*) FROM information_schema.tables WHERE table_schema ="
        return int(session.run(f"{count} {own}")[0][0]) == 0
    return False


def _empty_files(root: Path) -> Iterator[Path]:
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
        paths = (Path(folder, name) for name in sorted(names) if name.endswith(".sql"))
        found += [(depth, path) for path in paths if _makes_tables(path)]
    return [path for _depth, path in sorted(found)[:MOST_SCRIPTS]]


def _makes_tables(path: Path) -> bool:
    """Say whether a script that is not too long makes tables."""
    with suppress(OSError, UnicodeDecodeError):
        if path.stat().st_size <= LARGEST_SCRIPT:
            text = path.read_text(encoding="utf-8")
            return re.search(r"CREATE\s+TABLE", text, re.IGNORECASE) is not None
    return False


def _runs_in_sqlite(path: Path) -> bool:
    """Say whether SQLite runs the whole script in an empty database."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(":memory:")) as database:
        database.executescript(path.read_text(encoding="utf-8"))
        return True
    return False


def _has_no_table(database: sqlite3.Connection) -> bool:
    found = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(found == (0,))
