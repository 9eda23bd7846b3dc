"""Redirects connections to throw-away servers, which are started at the first connection."""

from __future__ import annotations

import errno
from collections.abc import Callable
from collections.abc import Mapping
from contextlib import ExitStack
from contextlib import closing
from typing import Any

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import REDIS
from pytest_evosearch.sut.database_servers.places import TABLES
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.servers.mariadb_server import mariadb_server
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.postgresql_server import postgresql_server
from pytest_evosearch.sut.servers.redis_server import redis_server
from pytest_evosearch.sut.servers.server_process import ServerDidNotStart

Parameters = Mapping[str, Any]
OpenSession = Callable[[Parameters], OwnSession]


class ThrowAwayServers:
    """Servers of this run, one for each kind; `stack` ends them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._parameters: dict[str, Parameters] = {}
        self._databases: set[tuple[str, str]] = set()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of servers that were started."""
        return tuple(self._parameters)

    def lead(self, place: Place, open_session: OpenSession) -> Parameters:
        """Return the parameters to replace for a connection to `place`.

        The database keeps its name, and is empty at first. Raise `EvosearchUsageError` when no
        server can be started.
        """
        parameters = self.start(place)
        if (
            place.dialect in TABLES
            and place.database
            and (place.dialect, place.database) not in self._databases
        ):
            self._make_database(place, parameters, open_session)
        return {**parameters, "dbname": place.database}

    def start(self, place: Place) -> Parameters:
        """Start the server that replaces the one at `place`, unless it is running."""
        if place.dialect not in self._parameters:
            start = {
                POSTGRESQL: self._start_postgresql,
                MYSQL: self._start_mariadb,
                REDIS: self._start_redis,
            }[place.dialect]
            try:
                self._parameters[place.dialect] = start()
            except (NoServer, ServerDidNotStart) as error:
                if place.dialect == REDIS:  # applications often work without it
                    raise ConnectionRefusedError(errno.ECONNREFUSED, str(error)) from error
                raise EvosearchUsageError(
                    f"the application works on a {place.dialect} database ({place}), which a "
                    f"search would change, and {error}; or allow it with --evosearch-allow-db"
                ) from error
        return self._parameters[place.dialect]

    def _start_redis(self) -> Parameters:
        return {"host": str(self._stack.enter_context(redis_server()))}

    def _start_postgresql(self) -> Parameters:
        server = self._stack.enter_context(postgresql_server())
        return {"host": str(server.folder), "port": server.port, "user": server.user}

    def _start_mariadb(self) -> Parameters:
        server = self._stack.enter_context(mariadb_server())
        return {"host": str(server.socket), "user": server.user, "password": ""}

    def _make_database(
        self, place: Place, parameters: Parameters, open_session: OpenSession
    ) -> None:
        first = {POSTGRESQL: "postgres", MYSQL: "mysql"}[place.dialect]
        quote = {POSTGRESQL: '"', MYSQL: "`"}[place.dialect]
        name = place.database.replace(quote, quote * 2)
        if place.database != first:
            with closing(open_session({**parameters, "dbname": first})) as session:
                session.run(f"CREATE DATABASE {quote}{name}{quote}")
        self._databases.add((place.dialect, place.database))
