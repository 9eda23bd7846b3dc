"""The interface of keepers of databases on servers, one class for each kind of server."""

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

DEFAULT_DATABASE = "postgres"
"""What many programs name where a container serves nothing else; a throw-away one is theirs."""
OF_THE_SERVER = ("", "postgres", "template1", "mysql")
"""Databases that serve as templates for others; they contain nothing of a project."""


class DatabaseKeeper(Protocol):
    """Keeps one database on a server; independent of the driver."""

    name: str
    dialect: str

    @property
    def description(self) -> str:
        """What is restored, for the discovery block."""
        ...

    def recover(self) -> bool:
        """Restore the state before a killed run; return whether it had left changes."""
        ...

    def preserve(self) -> None:
        """Keep the rows from before fixtures change them; undo what a killed run has left."""
        ...

    def put_back(self, *, for_good: bool) -> None:
        """Restore the rows from before the fixtures in tables that still exist."""
        ...

    def snapshot(self) -> None:
        """Keep the present rows where they outlive this process."""
        ...

    def restore(self) -> None:
        """Restore the rows of the snapshot, cheaply when nothing was written."""
        ...

    def values(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (table, row by column) for the first rows of every table, as they were kept."""
        ...

    def close(self) -> None:
        """Restore the rows for the last time, and close the connection."""
        ...

    def abandon(self) -> object:
        """Open a new session in a forked process; return the one of its parent."""
        ...


KINDS: dict[str, Callable[[Place, Callable[[], OwnSession]], DatabaseKeeper]] = {
    POSTGRESQL: PostgresqlDatabase,
    MYSQL: MysqlDatabase,
    REDIS: RedisServer,
}
"""SQL dialect -> constructor of a keeper."""


def keeper_of(database: SeenDatabase) -> DatabaseKeeper | None:
    """Return the keeper of a database; None when there is nothing to keep."""
    kind = KINDS.get(database.place.dialect)
    name = database.place.database
    is_of_server = name in OF_THE_SERVER and not (database.led and name == DEFAULT_DATABASE)
    if kind is None or is_of_server:
        return None
    return kind(database.place, database.open_session)
