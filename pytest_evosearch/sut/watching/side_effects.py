"""Sees what an application does during a call: SQL, files and hosts.

    SQL       the trace callback of each SQLite connection, set when it is opened
    files     `builtins.open` and `io.open`, wrapped around whatever a sandbox put there
    hosts     `socket.getaddrinfo` and `socket.socket.connect`

Nothing is seen outside `begin` ... `take`, and the wrappers are removed after the block.
"""

from __future__ import annotations

import builtins
import io
import pathlib
import socket
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections

MOST_ENTRIES = 200
"""Most statements, files or hosts noted for one call."""

LONGEST_STATEMENT = 20_000


@dataclass(frozen=True)
class Testimony:
    """The observations of one call."""

    statements: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    contacted: tuple[str, ...] = ()


NOTHING_SEEN = Testimony()


class Witness:
    """Notes events between `begin` and `take`."""

    def __init__(self, connections: SqliteConnections) -> None:
        self._connections = connections
        self._active = False
        self._statements: list[str] = []
        self._opened: list[str] = []
        self._contacted: dict[str, None] = {}

    def begin(self) -> None:
        """Start watching."""
        if self._statements or self._opened or self._contacted:
            self._statements, self._opened, self._contacted = [], [], {}
        self._active = True

    def take(self) -> Testimony:
        """Stop, and return the observations."""
        self._active = False
        if not (self._statements or self._opened or self._contacted):
            return NOTHING_SEEN
        return Testimony(
            tuple(self._statements),
            tuple(self._opened),
            tuple(self._contacted),
        )

    def note_statement(self, statement: str) -> None:
        """Note a statement that SQLite runs."""
        if not self._active or len(self._statements) >= MOST_ENTRIES:
            return
        self._statements.append(statement[:LONGEST_STATEMENT])

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Install the wrappers until the end of the block."""
        opener = self._opening(builtins.open)
        with Patches() as patches:
            for module in (builtins, io):
                patches.setattr(module, "open", opener)
            accessor = getattr(pathlib, "_normal_accessor", None)
            if accessor is not None:  # pathlib of Python 3.10 keeps its own reference to it
                patches.wrap(accessor, "open", self._opening)
            patches.wrap(socket, "getaddrinfo", self._looking_up)
            patches.setattr(socket.socket, "connect", self._connecting(socket.socket.connect))
            self._connections.trace = self.note_statement
            try:
                yield
            finally:
                self._connections.trace = None

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def open(file: Any, *arguments: Any, **keywords: Any) -> Any:  # noqa: A001
            if self._active and len(self._opened) < MOST_ENTRIES:
                with suppress(TypeError):
                    self._opened.append(os.fsdecode(file))
            return real(file, *arguments, **keywords)

        return open

    def _looking_up(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def getaddrinfo(host: Any, *arguments: Any, **keywords: Any) -> Any:
            self._note_host(host)
            return real(host, *arguments, **keywords)

        return getaddrinfo

    def _connecting(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def connect(connection: Any, address: Any) -> Any:
            if isinstance(address, tuple) and address:
                self._note_host(address[0])
            return real(connection, address)

        return connect

    def _note_host(self, host: Any) -> None:
        if self._active and len(self._contacted) < MOST_ENTRIES:
            name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
            if isinstance(name, str):
                self._contacted[name.lower()] = None
