"""Empties caches and rate limiters in memory, and writes the fixtures that do so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_CACHES_FIXTURE = '''\
@pytest.fixture(autouse=True)
def emptied_caches({client}):
    """Empty the caches in memory before each test and after it."""
    from flask_caching.backends import SimpleCache

    def empty():
        for cache in {client}.application.extensions["cache"].values():
            if isinstance(cache, SimpleCache):
                cache.clear()

    empty()
    yield
    empty()
'''

_LIMITS_FIXTURE = '''\
@pytest.fixture(autouse=True)
def reset_rate_limits({client}):
    """Count the requests of each test by themselves, where the counts are in memory."""
    from limits.storage import MemoryStorage

    def reset():
        for limiter in {client}.application.extensions["limiter"]:
            if isinstance(limiter.storage, MemoryStorage):
                limiter.reset()

    reset()
    yield
    reset()
'''


class CachesKeeper:
    """Empties caches and rate limiters in memory."""

    description = ""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._were_filled = False
        self._has_counted = False

    def snapshot(self) -> None:
        """Begin with empty caches."""
        self.restore()

    def restore(self) -> None:
        """Clear caches of Flask-Caching and reset Flask-Limiter, where they are in memory."""
        for cache in self._caches():
            self._were_filled |= bool(getattr(cache, "_cache", ()))
            with suppress(Exception):
                cache.clear()
        for storage in self._storages():
            self._has_counted |= bool(vars(storage).get("storage") or vars(storage).get("events"))
            with suppress(Exception):
                storage.reset()

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def sources(self, client_fixture: str) -> list[str]:
        """Return fixtures that empty caches around each written test.

        Only caches that were ever filled count. The fixtures need ``import pytest`` above them.
        """
        fixtures = []
        if self._were_filled:
            fixtures.append(_CACHES_FIXTURE)
        if self._has_counted and isinstance(self._app.extensions["limiter"], _SEVERAL):
            fixtures.append(_LIMITS_FIXTURE)
        return [fixture.format(client=client_fixture) for fixture in fixtures]

    def _caches(self) -> Iterator[Any]:
        caches = self._app.extensions.get("cache")
        if isinstance(caches, dict):
            yield from (one for one in caches.values() if type(one).__name__ == "SimpleCache")

    def _storages(self) -> Iterator[Any]:
        limiters = self._app.extensions.get("limiter")
        for limiter in limiters if isinstance(limiters, _SEVERAL) else [limiters]:
            storage = getattr(limiter, "_storage", None)
            if type(storage).__name__ == "MemoryStorage":
                yield storage


_SEVERAL = (set, list, tuple)
"""Collections of limiters in Flask-Limiter; old versions keep a single limiter."""
