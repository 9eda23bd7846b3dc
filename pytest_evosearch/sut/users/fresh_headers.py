"""Headers that are renewed when they get old: tokens expire by the application's clock."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.isolation import time

REFRESH_SECONDS = 240.0
"""Seconds after which headers are renewed; Flask-JWT-Extended's tokens last 15 minutes."""


class FreshHeaders(Mapping[str, str]):
    """A mapping that calls `make` again after a while, even when the clock is moved.

    Headers with a time after now are renewed at once: a token that was signed in the future is
    refused. When a later call of `make` raises, the old headers stay.
    """

    def __init__(self, make: Callable[[], Mapping[str, str]]) -> None:
        self._make = make
        self._made_at = time.time()
        self._headers = dict(make())

    def __getitem__(self, name: str) -> str:
        return self._current()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._headers)

    def _current(self) -> Mapping[str, str]:
        now = time.time()
        if not 0 <= now - self._made_at <= REFRESH_SECONDS:
            self._made_at = now
            try:
                self._headers = dict(self._make())
            except Exception:
                return self._headers  # a fixture that works only once: its token may still be valid
        return self._headers


class ComputedHeaders(Mapping[str, str]):
    """Headers with values that are computed at each request: codes that are valid for a moment."""

    def __init__(self, values: Mapping[str, str], makers: Mapping[str, Callable[[], str]]) -> None:
        self._values = values
        self._makers = makers

    def __getitem__(self, name: str) -> str:
        return self._makers[name]() if name in self._makers else self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
