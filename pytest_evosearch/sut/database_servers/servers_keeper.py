"""Restores every database on a server that the application connects to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.connections import ServerConnections
from pytest_evosearch.sut.database_servers.database_keeper import DatabaseKeeper
from pytest_evosearch.sut.database_servers.database_keeper import keeper_of
from pytest_evosearch.sut.database_servers.held_connections import HeldConnections
from pytest_evosearch.sut.database_servers.places import TABLES
from pytest_evosearch.sut.database_servers.postgresql_copy import DatabaseInUse
from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.living import loaded_classes
from pytest_evosearch.sut.row_values import values_of_rows

MOST_LIVE = 20
"""Open connections beyond those in use; a server takes a hundred or more."""


class ServersKeeper:
    """Keeps all databases on servers as one kind of state."""

    def __init__(self, connections: ServerConnections | None) -> None:
        self._connections = connections
        self._held = HeldConnections()
        self._keepers: list[DatabaseKeeper] = []
        self._lost: list[str] = []
        """Databases that cannot be restored, with the reasons."""
        self._crowd = MOST_LIVE
        self._process = os.getpid()
        self._inherited: list[object] = []
        """Connections of the parent of a fork: closing them here would close the parent's."""
        if connections is not None:
            for database in connections.databases.values():
                self._add(database)
            connections.listeners.append(self._follow)

    @property
    def description(self) -> str:
        """``PostgreSQL database "shop" by rows``; empty without any."""
        kept = [one.description for one in self._keepers]
        return ", ".join([*kept, *self._lost])

    @property
    def count(self) -> int:
        """How many databases are known now."""
        return len(self._keepers)

    @property
    def has_tables(self) -> bool:
        """Say whether any of them has tables."""
        return any(one.dialect in TABLES for one in self._keepers)

    def snapshot(self) -> None:
        """Keep the rows of every database."""
        if self._connections is None:
            return
        self._held.hold(self._connections.in_transaction())
        for keeper in list(self._keepers):
            self._keep(keeper)

    def _keep(self, keeper: DatabaseKeeper) -> None:
        """Keep one database; report one that refuses in the discovery block."""
        try:
            keeper.snapshot()
        except DatabaseInUse as error:
            raise EvosearchUsageError(f"{keeper.dialect} {keeper.name}: {error}") from error
        except Exception as error:
            self._keepers.remove(keeper)
            reason = str(error).strip().partition("\n")[0]
            self._lost.append(f'not {keeper.dialect} database "{keeper.name}" ({reason})')

    def restore(self) -> None:
        """Undo all writes to the databases."""
        if self._connections is None or not self._keepers:
            return
        if os.getpid() != self._process:
            self._leave_parent()
        self._release()
        for keeper in self._keepers:
            self._restore_patiently(keeper)

    def _leave_parent(self) -> None:
        """Stop using connections of the parent: two processes must not share a session."""
        assert self._connections is not None
        self._process = os.getpid()
        self._inherited += [one() for one, _driver in self._connections.live.values()]
        self._connections.live.clear()
        self._held.release()
        for engine in living(*loaded_classes(("sqlalchemy.engine", "Engine"))):  # they have pools
            with suppress(Exception):
                engine.dispose(close=False)
        for keeper in self._keepers:
            self._inherited.append(keeper.abandon())

    def _restore_patiently(self, keeper: DatabaseKeeper) -> None:
        """Restore; collect garbage when an object, such as a cursor, still holds a lock."""
        try:
            keeper.restore()
        except Exception:
            gc.collect()
            self._release()
            keeper.restore()

    def values(self, skip: int = 0) -> Iterator[tuple[str, object]]:
        """Yield (column, value) pairs of every database except the first `skip`."""
        for keeper in self._keepers[skip:]:
            yield from values_of_rows(keeper.values())

    def close(self) -> None:
        """Leave every server as it was found, and stop following connections."""
        if self._connections is not None and self._follow in self._connections.listeners:
            self._connections.listeners.remove(self._follow)
            self._release()
        self._held.release()
        keepers, self._keepers = self._keepers, []
        for keeper in keepers:
            self._leave(keeper)

    def _leave(self, keeper: DatabaseKeeper) -> None:
        """Leave one database; a throw-away server may be gone, with all its content."""
        try:
            keeper.close()
        except Exception:
            if self._connections is None or not self._connections.leads_to(keeper.name):
                raise

    def _follow(self, database: SeenDatabase) -> None:
        """Keep the present state of a database that is about to be opened for the first time."""
        keeper = self._add(database)
        if keeper is not None:
            self._keep(keeper)

    def _add(self, database: SeenDatabase) -> DatabaseKeeper | None:
        keeper = keeper_of(database)
        if keeper is not None:
            self._keepers.append(keeper)
        return keeper

    def _release(self) -> None:
        """End the transactions that the application has left open."""
        assert self._connections is not None
        self._collect_lost()
        self._held.restore()
        for connection in self._connections.in_transaction():
            if not self._held.holds(connection):
                self._connections.roll_back(connection)

    def _collect_lost(self) -> None:
        """Have connections closed that calls have left behind in cycles, before there are too many.

        A server refuses further ones at some point, and then each call fails in another way.
        """
        assert self._connections is not None
        if len(self._connections.live) >= self._crowd:
            gc.collect()
            self._crowd = MOST_LIVE + len(self._connections.live)
