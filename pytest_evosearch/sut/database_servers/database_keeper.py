"""What keeps a database on a server, by the kind of the server: the seam between both."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import Protocol

from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.mysql import MysqlDatabase
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import REDIS
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.postgresql import PostgresqlDatabase
from pytest_evosearch.sut.database_servers.redis_keys import RedisServer

OF_THE_SERVER = ("", "postgres", "template1", "mysql")
"""Databases from which others are made; they hold nothing of a project."""


class DatabaseKeeper(Protocol):
    """Keeps one database on a server; nothing in it depends on the driver."""

    name: str
    dialect: str

    @property
    def description(self) -> str:
        """What is brought back, for the discovery block."""
        ...

    def recover(self) -> bool:
        """Put back what a run has left that was killed; say whether it left anything."""
        ...

    def preserve(self) -> None:
        """Keep what is there before fixtures change it; put back what a killed run has left."""
        ...

    def put_back(self, *, for_good: bool) -> None:
        """Give the tables that are still there the rows from before the fixtures."""
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

    def abandon(self) -> object:
        """Open another session in a process that was forked; return its parent's."""
        ...


KINDS: dict[str, Callable[[Place, Callable[[], OwnSession]], DatabaseKeeper]] = {
    POSTGRESQL: PostgresqlDatabase,
    MYSQL: MysqlDatabase,
    REDIS: RedisServer,
}
"""What keeps a database, by dialect."""


def keeper_of(database: SeenDatabase) -> DatabaseKeeper | None:
    """Return what keeps a database; None when there is nothing in it to keep."""
    kind = KINDS.get(database.place.dialect)
    if kind is None or database.place.database in OF_THE_SERVER:
        return None
    return kind(database.place, database.open_session)
