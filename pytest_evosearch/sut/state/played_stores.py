"""Finds how a fixture can reach the content of mongomock and fakeredis."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.fixture_texts.played_store_text import PlayedStore
from pytest_evosearch.sut.state.held_objects import Held
from pytest_evosearch.sut.state.held_objects import held_objects
from pytest_evosearch.sut.state.in_memory_servers import played_servers


def played_stores(app: Any, modules: Iterable[ModuleType]) -> tuple[PlayedStore, ...]:
    """Return the stores of `app` that a fixture can reach, each kind of client once."""
    if not played_servers():
        return ()
    found: dict[int, PlayedStore] = {}
    for place, value, imports in _candidates(app, list(modules)):
        package, step = _kind_of(value)
        if package:
            store = PlayedStore(package, place + step, imports)
            found.setdefault(_server_of(package, value, step), store)
    return tuple(found.values())


def _candidates(app: Any, modules: Sequence[ModuleType]) -> Iterator[Held]:
    yield from held_objects(app, modules)
    engine = sys.modules.get("mongoengine.connection")
    for alias, client in getattr(engine, "_connections", {}).items():
        imports = ("from mongoengine import get_connection", "")
        yield Held(f'get_connection("{alias}")', client, imports)


def _kind_of(value: object) -> tuple[str, str]:
    """Return the replacing package of a client, and the step from `value` to the client.

    The package is empty for a value without a store.
    """
    mongo: Any = sys.modules.get("mongomock")
    if mongo is not None:
        if issubclass(type(value), mongo.MongoClient):
            return mongo.__name__, ""
        if issubclass(type(value), mongo.Database):
            return mongo.__name__, ".client"
        if issubclass(type(value), mongo.Collection):
            return mongo.__name__, ".database.client"
    redis: Any = sys.modules.get("fakeredis")
    if redis is not None and issubclass(type(value), (redis.FakeRedis, redis.FakeStrictRedis)):
        return redis.__name__, ""
    return "", ""


def _server_of(package: str, value: Any, step: str) -> int:
    """Return an identity that clients of one store share."""
    if package == "fakeredis":
        pool = value.connection_pool
        return id(pool.connection_kwargs.get("server", pool))
    for name in step.split(".")[1:]:
        value = getattr(value, name)
    return id(value._store)
