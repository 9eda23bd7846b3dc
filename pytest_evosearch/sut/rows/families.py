"""Finds how an application stores rows: models of each library, and tables without models."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.rows.kinds import Openings
from pytest_evosearch.sut.rows.kinds import RowFamily
from pytest_evosearch.sut.rows.kinds import RowModel
from pytest_evosearch.sut.rows.mapped_models import MappedRows
from pytest_evosearch.sut.rows.mapped_models import mapped_classes
from pytest_evosearch.sut.rows.mapped_models import mapped_models
from pytest_evosearch.sut.rows.openings import connection_openings
from pytest_evosearch.sut.rows.openings import flask_sqlalchemy_opening
from pytest_evosearch.sut.rows.openings import held_objects
from pytest_evosearch.sut.rows.openings import session_openings
from pytest_evosearch.sut.rows.peewee_models import PeeweeRows
from pytest_evosearch.sut.rows.peewee_models import peewee_classes
from pytest_evosearch.sut.rows.peewee_models import peewee_models
from pytest_evosearch.sut.rows.plain_tables import TableRows
from pytest_evosearch.sut.rows.plain_tables import described_by_server
from pytest_evosearch.sut.rows.plain_tables import sqlite_tables
from pytest_evosearch.sut.rows.plain_tables import table_models
from pytest_evosearch.sut.state.sqlalchemy_extension import sqlalchemy_extension
from pytest_evosearch.sut.watching.sqlite_connections import active_connections


def row_families(app: Any, modules: Sequence[ModuleType]) -> list[RowFamily]:
    """Return the families that store rows of an application; models come before tables."""
    found: list[RowFamily] = []
    known: set[str] = set()
    held = held_objects(app, modules)
    extension, _ = sqlalchemy_extension(app, "app")
    for models, make in (
        (_extension_models(extension), lambda models: _through(app, extension, models)),
        (
            mapped_models(mapped_classes(modules)),
            lambda models: MappedRows(models, Openings(lambda: session_openings(app, held))),
        ),
        (
            peewee_models(peewee_classes(modules)),
            lambda models: PeeweeRows(models, modules),
        ),
    ):
        fresh = tuple(model for model in models if model.table not in known)
        known.update(model.table for model in fresh)
        if fresh:
            found.append(make(fresh))
    return [*found, *_tables(app, held, known)]


def models_by_extension(app: Any) -> tuple[Any, str, tuple[RowModel, ...]]:
    """Return the extension of Flask-SQLAlchemy, its import path, and its models."""
    extension, _ = sqlalchemy_extension(app, "app")
    models = _extension_models(extension)
    return extension, _import_of(extension, models), models


def _extension_models(extension: Any) -> tuple[RowModel, ...]:
    with suppress(Exception):
        kinds = [mapper.class_ for mapper in extension.Model.registry.mappers]
        return mapped_models(
            sorted(kinds, key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
        )
    return ()


def _through(app: Any, extension: Any, models: tuple[RowModel, ...]) -> MappedRows:
    path = _import_of(extension, models)
    return MappedRows(models, Openings(lambda: [flask_sqlalchemy_opening(app, path)]))


def _import_of(extension: Any, models: Iterable[RowModel]) -> str:
    """Return the import path of the extension in a module of the project."""
    modules = dict.fromkeys(model.name.rpartition(".")[0] for model in models)
    packages = dict.fromkeys(module.partition(".")[0] for module in modules)
    others = (name for name in sorted(sys.modules) if name.partition(".")[0] in packages)
    for module in (*modules, *others):
        for name, value in sorted(vars(sys.modules.get(module, sys)).items()):
            if value is extension:
                return f"{module}.{name}"
    return ""


def _tables(app: Any, held: Any, known: set[str]) -> list[RowFamily]:
    """Return tables of open databases, without those that models describe."""
    connections = active_connections()
    files = list(connections.files) if connections is not None else []
    described = {}
    for file in files:
        with suppress(Exception):
            described.update(sqlite_tables(file))
    described.update(_server_tables())
    models = tuple(model for model in table_models(described) if model.table not in known)
    if not models or known:
        return []
    copies = connections.copies if connections is not None else {}
    originals = {copy: original for original, copy in copies.items()}
    paths: list[Path] = [originals.get(file, file) for file in files]
    return [TableRows(models, Openings(lambda: connection_openings(app, held, paths)))]


def _server_tables() -> dict[str, Any]:
    servers = active_server_connections()
    described: dict[str, Any] = {}
    for database in list(servers.databases.values()) if servers is not None else ():
        with suppress(Exception), closing(database.open_session()) as session:
            described.update(described_by_server(database.place.dialect, session.run))
    return described
