"""Effects of an execution in its process that other processes must know.

A child that is forked for one execution ends with its state, which is intended. Three effects must
not be lost. One is imported modules: their targets, and the time to import them. Another is SQLite
files that were opened for the first time, and must be kept from now on. The third is attempts that
the sandbox blocked, and that must be reported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from importlib import import_module
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections


@dataclass(frozen=True)
class Leftovers:
    """Effects of one execution."""

    modules: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    """Names of SQLite files that were opened for the first time."""
    attempts: tuple[str, ...] = ()
    """Attempts that the sandbox blocked for the first time."""
    harms: Mapping[str, int] = field(default_factory=dict)
    """Harmful attempts -> how many times."""


NOTHING_LEFT = Leftovers()


class LeftoversWatch:
    """Collects leftovers in one process, and applies them in another."""

    def __init__(self, handle: AppHandle, connections: SqliteConnections | None) -> None:
        self._handle = handle
        self._connections = connections
        self._modules = 0
        self._before: frozenset[str] = frozenset()
        self._located: frozenset[str] = frozenset()
        self._attempts = 0
        self._harms: Mapping[str, int] = {}

    def begin(self) -> None:
        """Treat everything that is known now as known."""
        if len(sys.modules) != self._modules:  # most executions import nothing
            self._before, self._modules = frozenset(sys.modules), len(sys.modules)
        self._located = frozenset(self._connections.located if self._connections else ())
        self._attempts = len(self._handle.blocked())
        self._harms = dict(self._handle.harms())

    def take(self) -> Leftovers:
        """Return what is new since `begin`."""
        modules: list[str] = []
        if len(sys.modules) != self._modules:
            modules = [name for name in sys.modules if name not in self._before]
        located = self._connections.located if self._connections else ()
        if not modules and len(located) == len(self._located) and not self._handle.blocked():
            return NOTHING_LEFT
        harms = {
            attempt: times - self._harms.get(attempt, 0)
            for attempt, times in self._handle.harms().items()
            if times != self._harms.get(attempt)
        }
        return Leftovers(
            tuple(modules),
            tuple(name for name in located if name not in self._located),
            tuple(self._handle.blocked()[self._attempts :]),
            harms,
        )

    def adopt(self, left: Leftovers) -> None:
        """Apply the leftovers of another process here."""
        for name in left.modules:
            if name not in sys.modules:
                with suppress(Exception):  # it may need a request context
                    import_module(name)
        for name in left.databases:
            if self._connections is not None:
                with suppress(Exception):  # a file that no longer exists
                    self._connections.locate(Path(name))
        if left.attempts or left.harms:
            self._handle.note_attempts(left.attempts, left.harms)
