"""Finds out how a fixture gets hold of what mongomock and fakeredis hold."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.fixture_texts.played_store_text import PlayedStore
from pytest_evosearch.sut.state.in_memory_servers import played_servers
from pytest_evosearch.sut.state.lasting_databases import held_objects

_STEPS = {
    ("mongomock", "MongoClient"): "",
    ("mongomock", "Database"): ".client",
    ("mongomock", "Collection"): ".database.client",
    ("fakeredis", "FakeRedis"): "",
    ("fakeredis", "FakeStrictRedis"): "",
}
"""What leads from an object to the client of its store."""

Held = tuple[str, object, tuple[str, ...]]


def played_stores(app: Any, modules: Iterable[ModuleType]) -> tuple[PlayedStore, ...]:
    """Return the stores of `app` that a fixture can get hold of, each kind of client once."""
    if not played_servers():
        return ()
    found: dict[int, PlayedStore] = {}
    for place, value, imports in _candidates(app, list(modules)):
        package, kind = _kind_of(value)
        step = _STEPS.get((package, kind))
        if step is not None:
            store = PlayedStore(package, place + step, imports)
            found.setdefault(_server_of(package, value, step), store)
    return tuple(found.values())


def _candidates(app: Any, modules: Sequence[ModuleType]) -> Iterator[Held]:
    yield from held_objects(app, modules)
    engine = sys.modules.get("mongoengine.connection")
    for alias, client in getattr(engine, "_connections", {}).items():
        yield f'get_connection("{alias}")', client, ("from mongoengine import get_connection", "")


def _kind_of(value: object) -> tuple[str, str]:
    """Return the package of a class and its name, those of a subclass by what it derives from."""
    for kind in type(value).__mro__:
        package = kind.__module__.partition(".")[0]
        if (package, kind.__name__) in _STEPS:
            return package, kind.__name__
    return "", ""


def _server_of(package: str, value: Any, step: str) -> int:
    """Return what two clients of one store have in common."""
    if package == "fakeredis":
        pool = value.connection_pool
        return id(pool.connection_kwargs.get("server", pool))
    for name in step.split(".")[1:]:
        value = getattr(value, name)
    return id(value._store)
