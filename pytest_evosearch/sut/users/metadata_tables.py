"""Creates the tables of SQLAlchemy metadata, where the project has its own engine."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any
from typing import NamedTuple

from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.living import loaded_classes
from pytest_evosearch.sut.living import named_values

_ASYNCHRONOUS_ENGINE = ("sqlalchemy.ext.asyncio", "AsyncEngine")

_SYNCHRONOUS = "{metadata}.create_all({engine})"

_ASYNCHRONOUS = """\
async def create_tables():
    async with {engine}.begin() as connection:
        await connection.run_sync({metadata}.create_all)

asyncio.run(create_tables())"""


class _Named(NamedTuple):
    """An object, and its expression for a statement."""

    value: Any
    module: str
    name: str
    expression: str


def created_by_metadata(modules: Iterable[ModuleType], is_thrown_away: bool) -> str | None:
    """Create the tables of a project if there are none; return the statements for it.

    There must be exactly one engine. It must use SQLite, unless `is_thrown_away` says that servers
    are temporary.
    """
    if "sqlalchemy" not in sys.modules:
        return None
    own = list(modules)
    engines = {id(one.value): one for one in reversed(list(_engines(own)))}
    metadata = {id(one.value): one for one in reversed(list(_metadata(own)))}
    if len(engines) != 1 or not metadata:
        return None
    engine = next(iter(engines.values()))
    with suppress(Exception):
        if engine.value.dialect.name == "sqlite" or is_thrown_away:
            found = list(metadata.values())[::-1]
            known = set(_table_names(engine.value))
            wanted = {table.name for one in found for table in one.value.tables.values()}
            if wanted.isdisjoint(known):
                statement = _statements(engine, found)
                Deed((statement,)).run()
                return statement
    return None


def _engines(modules: Iterable[ModuleType]) -> Iterator[_Named]:
    """Yield named engines of the project, and engines of its sessions."""
    kinds = loaded_classes(("sqlalchemy.engine", "Engine"), _ASYNCHRONOUS_ENGINE)
    makers = loaded_classes(("sqlalchemy.orm", "sessionmaker"))
    scoped = loaded_classes(("sqlalchemy.orm", "scoped_session"))
    for module, name, value in named_values(modules):
        if issubclass(type(value), kinds):
            yield _Named(value, module, name, name)
        step = ".session_factory" if issubclass(type(value), scoped) else ""
        maker = value.session_factory if step else value
        if issubclass(type(maker), makers) and issubclass(type(maker.kw.get("bind")), kinds):
            yield _Named(maker.kw["bind"], module, name, f'{name}{step}.kw["bind"]')


def _metadata(modules: Iterable[ModuleType]) -> Iterator[_Named]:
    """Yield table metadata, and declarative bases with metadata."""
    kinds = loaded_classes(("sqlalchemy", "MetaData"))
    for module, name, value in named_values(modules):
        if issubclass(type(value), kinds) and value.tables:
            yield _Named(value, module, name, name)
    for module, name, value in named_values(modules):
        if isinstance(value, type) and not hasattr(value, "__table__"):
            held: Any = getattr(value, "metadata", None)
            if issubclass(type(held), kinds) and held.tables:
                yield _Named(held, module, name, f"{name}.metadata")


def _is_asynchronous(engine: Any) -> bool:
    return issubclass(type(engine), loaded_classes(_ASYNCHRONOUS_ENGINE))


def _table_names(engine: Any) -> Iterable[str]:
    from sqlalchemy import inspect

    if not _is_asynchronous(engine):
        return list(inspect(engine).get_table_names())

    async def names() -> list[str]:
        async with engine.connect() as connection:
            return list(await connection.run_sync(lambda held: inspect(held).get_table_names()))

    import asyncio  # here the application has loaded it

    return asyncio.run(names())


def _statements(engine: _Named, metadata: Iterable[_Named]) -> str:
    lines = []
    imported: dict[str, set[str]] = {}
    form = _ASYNCHRONOUS if _is_asynchronous(engine.value) else _SYNCHRONOUS
    imported.setdefault(engine.module, set()).add(engine.name)
    for one in metadata:
        imported.setdefault(one.module, set()).add(one.name)
        lines.append(form.format(metadata=one.expression, engine=engine.expression))
    imports = [
        f"from {module} import {', '.join(sorted(imported[module]))}" for module in sorted(imported)
    ]
    if form is _ASYNCHRONOUS:
        imports[:0] = ["import asyncio", ""]
    return "\n".join([*imports, "", *lines])
