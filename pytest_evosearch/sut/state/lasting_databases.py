"""Finds how a fixture can open the databases that the search restores.

Flask-SQLAlchemy       its engines, by bind: ``app.extensions["sqlalchemy"].engine``
an engine, connection  in a global of the project, on the application, or one step inside
Peewee's database      in such a place
a file that is named   in a setting, a variable or a global, or in what these hold
a connection, a name   in a variable of the factory that views still use, or in a view's object
a file of the project  by its place below the root folder
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.fixture_texts.database_text import uses_application
from pytest_evosearch.sut.state.held_objects import Held
from pytest_evosearch.sut.state.held_objects import held_by_views
from pytest_evosearch.sut.state.held_objects import held_objects
from pytest_evosearch.sut.state.kept_values import is_kind
from pytest_evosearch.sut.state.readable_places import LONGEST_PATH
from pytest_evosearch.sut.state.readable_places import places
from pytest_evosearch.sut.state.sqlalchemy_extension import sqlalchemy_extension
from pytest_evosearch.sut.state.sqlite_places import SQLITE_URL
from pytest_evosearch.sut.state.sqlite_places import file_behind
from pytest_evosearch.sut.watching.sqlite_connections import AnyConnection
from pytest_evosearch.sut.watching.sqlite_connections import is_temporary

_SETTING = "app.config["

_POOLED = ("connection = pooled.driver_connection",)


def lasting_databases(
    app: Any, modules: Iterable[ModuleType], files: Iterable[Path], root: Path, folder: Path
) -> tuple[LastingDatabase, ...]:
    """Return the SQLite databases of `app` that a fixture can open, each once.

    `files` are those that the search knows. `folder` is that of the fixture's ``conftest.py``.
    """
    own = list(modules)
    found: dict[object, LastingDatabase] = {}
    known = {Path(os.path.realpath(path)) for path in files}
    for key, database in (*_everything(app, own), *_named(app, own, known)):
        found.setdefault(key, database)
    for path in sorted(known - found.keys()):
        if path.is_relative_to(root) and folder.is_relative_to(root):
            found[path] = _below_root(path, root, folder)
    kept = {key for key in found if not isinstance(key, Path) or key in known}
    return tuple(database for key, database in found.items() if key in kept)


def _everything(
    app: Any, modules: Sequence[ModuleType]
) -> Iterator[tuple[object, LastingDatabase]]:
    extension, expression = sqlalchemy_extension(app, "app")
    for bind, engine in _engines_of(app, extension).items():
        chosen = "engine" if bind is None else f'engines["{bind}"]'
        opening = (
            "with app.app_context():",
            f"    pooled = {expression}.{chosen}.raw_connection()",
        )
        yield from _behind_engine(engine, opening, outlives=False)
    for place, value, imports in held_objects(app, modules):
        if is_made_by(value, "sqlalchemy.engine", "Engine"):
            pooled = (*imports, f"pooled = {place}.raw_connection()")
            yield from _behind_engine(value, pooled, outlives=bool(imports))
        elif is_kind(value, AnyConnection):
            assert isinstance(value, sqlite3.Connection)
            key = _file_of(value) or id(value)
            own = (*imports, f"connection = {place}")
            yield key, LastingDatabase(own, outlives_fixtures=bool(imports))
        elif is_made_by(value, "peewee", "SqliteDatabase"):
            own = (*imports, f"connection = {place}.connection()")
            yield from _of_peewee(value, LastingDatabase(own, outlives_fixtures=bool(imports)))
    for place, value, asked in held_by_views(app):
        if is_kind(value, AnyConnection):
            assert isinstance(value, sqlite3.Connection)
            own = (*asked, f"connection = {place}")
            yield _file_of(value) or id(value), LastingDatabase(own)


def _named(
    app: Any, modules: Sequence[ModuleType], files: set[Path]
) -> Iterator[tuple[Path, LastingDatabase]]:
    """Yield the `files` that a text or a path names, wherever a test can read that."""
    held = (Held(one.expression, one.value, one.imports) for one in places(app, modules))
    for place, value, imports in chain(held, held_objects(app, modules), held_by_views(app)):
        if not is_kind(value, (str, os.PathLike)):
            continue
        name, read = str(value), place
        if name.startswith(SQLITE_URL):
            name, read = name.removeprefix(SQLITE_URL), f'{place}.removeprefix("{SQLITE_URL}")'
        if not place.startswith(_SETTING) and not os.path.isabs(name):
            continue  # a file of the project, which is found wherever the tests are started
        path = Path(os.path.realpath(name)) if 0 < len(name) <= LONGEST_PATH else None
        if path in files:
            asked = (*imports, "") if imports and imports[-1] else imports
            opening = (*asked, f"connection = sqlite3.connect({read})")
            lasts = not is_temporary(path) or not uses_application((read,))
            yield path, LastingDatabase(opening, "connection.close()", (), lasts)


def _of_peewee(database: Any, opened: LastingDatabase) -> Iterator[tuple[object, LastingDatabase]]:
    """Yield a database of Peewee; one that is not bound yet has no connection."""
    with suppress(Exception):
        connection = database.connection()
        yield _file_of(connection) or id(connection), opened


def _engines_of(app: Any, extension: Any) -> Mapping[str | None, Any]:
    with suppress(Exception), app.app_context():
        if hasattr(extension, "engines"):
            return dict(extension.engines)
        return {None: extension.engine}
    return {}


def _behind_engine(
    engine: Any, opening: tuple[str, ...], *, outlives: bool
) -> Iterator[tuple[object, LastingDatabase]]:
    """Yield the database of an SQLite engine."""
    if engine.dialect.name != "sqlite":
        return
    with suppress(Exception), closing(engine.raw_connection()) as pooled:
        held = pooled.driver_connection
        if is_kind(held, AnyConnection):
            key = _file_of(held) or id(held)
            lasts = outlives or (isinstance(key, Path) and not is_temporary(key))
            yield key, LastingDatabase((*opening, *_POOLED), "pooled.close()", (), lasts)


def _below_root(path: Path, root: Path, folder: Path) -> LastingDatabase:
    ups = len(folder.relative_to(root).parts)
    inner = "".join(f' / "{part}"' for part in path.relative_to(root).parts)
    opening = (
        f"file = Path(__file__).resolve().parents[{ups}]{inner}",
        "connection = sqlite3.connect(file)",
    )
    return LastingDatabase(opening, "connection.close()", ("from pathlib import Path",), True)


def _file_of(connection: sqlite3.Connection) -> Path | None:
    """Return the file behind a connection, None for one in memory."""
    name = file_behind(connection)
    return Path(os.path.realpath(name)) if name else None
