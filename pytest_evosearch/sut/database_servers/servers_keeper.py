"""Brings back every database on a server that the application connects to."""

from __future__ import annotations

import gc
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from typing import Protocol

from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.connections import ServerConnections
from pytest_evosearch.sut.database_servers.held_connections import HeldConnections
from pytest_evosearch.sut.database_servers.mysql import MysqlDatabase
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.postgresql import PostgresqlDatabase


class DatabaseKeeper(Protocol):
    """Keeps one database on a server; nothing in it depends on the driver."""

    name: str

    def recover(self) -> bool:
        """Put back what a run has left that was killed; say whether it left anything."""
        ...

    def snapshot(self) -> None:
        """Keep the present rows where they outlive this process."""
        ...

    def restore(self) -> None:
        """Bring the rows of the snapshot back, cheaply when nothing was written."""
        ...

    def values(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (table, row by column) for the first rows of every table, as they were kept."""
        ...

    def close(self) -> None:
        """Bring the rows back for the last time, and leave the server."""
        ...

    def abandon(self) -> None:
        """Open another session in a process that was forked: it may not use its parent's."""
        ...


KINDS: dict[str, Callable[[Place, Callable[[], OwnSession]], DatabaseKeeper]] = {
    POSTGRESQL: PostgresqlDatabase,
    MYSQL: MysqlDatabase,
}
"""What keeps a database, by dialect."""


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
            f'{_dialect(keeper)} database "{keeper.name}" by rows' for keeper in self._keepers
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
            try:
                keeper.restore()
            except Exception:  # garbage may hold a lock: a cursor in a traceback
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
        kind = KINDS.get(database.place.dialect)
        if kind is None:
            return None
        keeper = kind(database.place, database.open_session)
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


def _dialect(keeper: DatabaseKeeper) -> str:
    return next(name for name, kind in KINDS.items() if isinstance(keeper, kind))  # type: ignore[arg-type]
