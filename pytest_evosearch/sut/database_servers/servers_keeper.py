"""Brings back every database on a server that the application connects to."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.connections import ServerConnections
from pytest_evosearch.sut.database_servers.database_keeper import DatabaseKeeper
from pytest_evosearch.sut.database_servers.database_keeper import keeper_of
from pytest_evosearch.sut.database_servers.held_connections import HeldConnections


class ServersKeeper:
    """All databases on servers as one kind of state."""

    def __init__(self, connections: ServerConnections | None) -> None:
        self._connections = connections
        self._held = HeldConnections()
        self._keepers: list[DatabaseKeeper] = []
        if connections is not None:
            for database in connections.databases.values():
                self._add(database)
            connections.listeners.append(self._follow)

    @property
    def description(self) -> str:
        """``PostgreSQL database "shop" by rows``; empty without any."""
        return ", ".join(
            f'{keeper.dialect} database "{keeper.name}" by rows' for keeper in self._keepers
        )

    @property
    def count(self) -> int:
        """How many databases are known by now."""
        return len(self._keepers)

    def snapshot(self) -> None:
        """Keep the rows of every database."""
        if self._connections is None:
            return
        self._held.hold(self._connections.in_transaction())
        for keeper in self._keepers:
            keeper.snapshot()

    def restore(self) -> None:
        """Undo what was written to any of the databases."""
        if self._connections is None or not self._keepers:
            return
        self._release()
        for keeper in self._keepers:
            self._restore_patiently(keeper)

    def _restore_patiently(self, keeper: DatabaseKeeper) -> None:
        """Restore; garbage may hold a lock, such as a cursor in a traceback."""
        try:
            keeper.restore()
        except Exception:
            gc.collect()
            self._release()
            keeper.restore()

    def rows(self, skip: int = 0) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (table, row by column) of every database but the first `skip`."""
        for keeper in self._keepers[skip:]:
            yield from keeper.values()

    def close(self) -> None:
        """Leave every server as it was found, and follow no more connections."""
        if self._connections is not None and self._follow in self._connections.listeners:
            self._connections.listeners.remove(self._follow)
            self._release()
        self._held.release()
        keepers, self._keepers = self._keepers, []
        for keeper in keepers:
            keeper.close()

    def _follow(self, database: SeenDatabase) -> None:
        """Keep a database that is about to be opened for the first time, as it is now."""
        keeper = self._add(database)
        if keeper is not None:
            with suppress(Exception):  # the application will say what is wrong with it
                keeper.snapshot()

    def _add(self, database: SeenDatabase) -> DatabaseKeeper | None:
        keeper = keeper_of(database)
        if keeper is not None:
            self._keepers.append(keeper)
        return keeper

    def _release(self) -> None:
        """End the transactions that the application has left open."""
        assert self._connections is not None
        self._held.restore()
        for connection in self._connections.in_transaction():
            if not self._held.holds(connection):
                _roll_back(connection)


def _roll_back(connection: Any) -> None:
    with suppress(Exception):
        result = connection.rollback()
        if result is not None:  # it waits for an event loop that is gone
            result.close()
            connection.terminate()
