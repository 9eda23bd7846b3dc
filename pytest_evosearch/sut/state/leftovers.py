"""What an execution leaves in its process that other processes have to know about.

A child that is forked for one execution takes its state with it when it ends, and that is
the point.  Three things are no state of the application, and would be missed or paid for again:
modules that were imported meanwhile (their targets, their time), SQLite files that were opened
for the first time (to be kept from now on), and what the sandbox blocked (to be reported).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from importlib import import_module
from pathlib import Path

from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections


@dataclass(frozen=True)
class Leftovers:
    """What came up during one execution."""

    modules: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    """Names under which SQLite files were opened for the first time."""
    attempts: tuple[str, ...] = ()
    """What the sandbox blocked for the first time."""
    harms: Mapping[str, int] = field(default_factory=dict)
    """What of it would have done harm, and how often it was tried."""


NOTHING_LEFT = Leftovers()


class LeftoversWatch:
    """Collects leftovers in one process and takes them in in another."""

    def __init__(self, handle: AppHandle, connections: SqliteConnections | None) -> None:
        self._handle = handle
        self._connections = connections
        self._modules = 0
        self._before: frozenset[str] = frozenset()
        self._located: frozenset[str] = frozenset()
        self._attempts = 0
        self._harms: Mapping[str, int] = {}

    def begin(self) -> None:
        """Take everything that is known now for known."""
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
        """Make known here what came up elsewhere."""
        for name in left.modules:
            if name not in sys.modules:
                with suppress(Exception):  # it may need what only a request has
                    import_module(name)
        for name in left.databases:
            if self._connections is not None:
                with suppress(Exception):  # a file that is gone again
                    self._connections.locate(Path(name))
        if left.attempts or left.harms:
            self._handle.note_attempts(left.attempts, left.harms)
