"""Each way to connect, each style of fixtures: what random requests write is gone afterwards."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

import pytest
from database_servers import Server
from database_servers import content
from database_servers import execute
from flask import Flask

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.state.reset import choose_keeper

REQUESTS = int(os.environ.get("EVOSEARCH_STATES", "12"))

Run = Callable[[str], None]
"""Runs a statement as a handler would, and commits."""


class Way:
    """How an application talks to its database."""

    def __init__(self, server: Server, database: str, driver: str) -> None:
        self.server, self.database, self.driver = server, database, driver

    def run(self, statement: str, *, crash: bool = False) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections."""


class PlainConnections(Way):
    """A connection for each request; after a crash it stays open for the collector."""

    left: Any = None

    def run(self, statement: str, *, crash: bool = False) -> None:
        connection = self.server.connect(self.driver, self.database)
        with suppress(Exception):
            execute(connection, statement)
        if crash:
            self.close()
            self.left = connection
        else:
            with suppress(Exception):
                connection.commit()
            connection.close()

    def close(self) -> None:
        if self.left is not None:
            self.left.close()


class OneConnection(Way):
    """One connection for all requests, which nobody rolls back after a crash."""

    live: Any = None

    def run(self, statement: str, *, crash: bool = False) -> None:
        if self.live is None:
            self.live = self.server.connect(self.driver, self.database)
        try:
            execute(self.live, statement)
        except Exception:
            crash = True
        if not crash:
            self.live.commit()

    def close(self) -> None:
        if self.live is not None:
            self.live.close()


class Sqlalchemy(Way):
    """An engine with a pool."""

    def __init__(self, server: Server, database: str, driver: str) -> None:
        super().__init__(server, database, driver)
        sqlalchemy = pytest.importorskip("sqlalchemy")
        self.text = sqlalchemy.text
        quick = driver not in ("psycopg2", "psycopg", "asyncpg", "MySQLdb")
        extra = {"ssl_disabled": True} if quick else {}
        self.engine = sqlalchemy.create_engine(server.url(driver, database), connect_args=extra)

    def run(self, statement: str, *, crash: bool = False) -> None:
        connection = self.engine.connect()
        try:
            connection.execute(self.text(statement))
            if not crash:
                connection.commit()
        except Exception:
            connection.rollback()
        connection.close()

    def close(self) -> None:
        self.engine.dispose()


class Peewee(Way):
    """Models of peewee, or what stands below them."""

    def __init__(self, server: Server, database: str, driver: str) -> None:
        super().__init__(server, database, driver)
        peewee = pytest.importorskip("peewee")
        if server.kind == "postgresql":
            place = {"host": str(server.socket), "user": "evosearch"}
            self.live = peewee.PostgresqlDatabase(database, **place)
        else:
            place = {"unix_socket": str(server.socket), "user": "root"}
            self.live = peewee.MySQLDatabase(database, **place)

    def run(self, statement: str, *, crash: bool = False) -> None:
        self.live.connect(reuse_if_open=True)
        try:
            with self.live.atomic() as transaction:
                self.live.execute_sql(statement)
                if crash:
                    transaction.rollback()
        except Exception:
            pass
        self.live.close()

    def close(self) -> None:
        self.live.close()


class Asynchronous(Way):
    """asyncpg, with an event loop for each request, as Flask has them."""

    def run(self, statement: str, *, crash: bool = False) -> None:
        asyncio.run(self._run(statement, crash))

    async def _run(self, statement: str, crash: bool) -> None:
        asyncpg = pytest.importorskip("asyncpg")
        place = {"host": str(self.server.socket), "user": "evosearch"}
        connection = await asyncpg.connect(**place, database=self.database)
        try:
            async with connection.transaction():
                await connection.execute(statement)
                assert not crash
        except Exception:
            pass
        await connection.close()


WAYS = {
    "psycopg2, a connection each": ("postgresql", PlainConnections, "psycopg2"),
    "psycopg2, one connection": ("postgresql", OneConnection, "psycopg2"),
    "psycopg 3, one connection": ("postgresql", OneConnection, "psycopg"),
    "SQLAlchemy on psycopg2": ("postgresql", Sqlalchemy, "psycopg2"),
    "SQLAlchemy on psycopg 3": ("postgresql", Sqlalchemy, "psycopg"),
    "peewee on PostgreSQL": ("postgresql", Peewee, "psycopg2"),
    "asyncpg": ("postgresql", Asynchronous, "asyncpg"),
    "PyMySQL, a connection each": ("mariadb", PlainConnections, "pymysql"),
    "mysqlclient, one connection": ("mariadb", OneConnection, "MySQLdb"),
    "SQLAlchemy on PyMySQL": ("mariadb", Sqlalchemy, "pymysql"),
    "SQLAlchemy on mysql-connector": ("mariadb", Sqlalchemy, "mysql.connector"),
    "peewee on MariaDB": ("mariadb", Peewee, "pymysql"),
}

TABLES = {
    "postgresql": ["CREATE TABLE item (id serial PRIMARY KEY, name varchar(20) UNIQUE)"],
    "mysql": ["CREATE TABLE item (id int AUTO_INCREMENT PRIMARY KEY, name varchar(20) UNIQUE)"],
}
SEED = "INSERT INTO item (name) VALUES ('seed')"


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    name, kind, driver = WAYS[request.param]
    pytest.importorskip(driver)
    server = request.getfixturevalue(name)
    with closing(kind(server, server.fresh_database(), driver)) as way:
        yield way


@contextmanager
def tables_of_a_session(way: Way) -> Iterator[None]:
    """Tables and rows are made once, through the application's own connections."""
    for statement in (*TABLES[way.server.kind], SEED):
        way.run(statement)
    yield
    way.run("DROP TABLE item")


@contextmanager
def truncated_in_teardown(way: Way) -> Iterator[None]:
    """The tables are there for ever; what tests leave is removed after them."""
    for statement in (*TABLES[way.server.kind], SEED):
        way.run(statement)
    yield
    way.run("TRUNCATE TABLE item")
    assert present(way)["public.item" if way.server.kind == "postgresql" else "item"] == []


@contextmanager
def nothing(way: Way) -> Iterator[None]:
    """No fixture connects: the first request does."""
    driver = "psycopg2" if way.server.kind == "postgresql" else "pymysql"
    with closing(way.server.connect(driver, way.database)) as connection:
        for statement in (*TABLES[way.server.kind], SEED):
            execute(connection, statement)
        connection.commit()
    yield


def present(way: Way) -> dict[str, Any]:
    driver = "psycopg2" if way.server.kind == "postgresql" else "pymysql"
    with closing(way.server.connect(driver, way.database)) as connection:
        return content(connection, way.server.kind)


def random_request(generator: random.Random, number: int) -> str:
    return generator.choice(
        [
            f"INSERT INTO item (name) VALUES ('n{number}')",
            "INSERT INTO item (name) VALUES ('seed')",
            "INSERT INTO item (name) VALUES ('a name that is far too long for its column')",
            "UPDATE item SET name = 'other'",
            "DELETE FROM item",
            "SELECT 1",
        ]
    )


@pytest.mark.parametrize("style", [tables_of_a_session, truncated_in_teardown, nothing])
def test_state_comes_back(way: Way, style: Callable[[Way], Any]) -> None:
    generator = random.Random(style.__name__)
    with ExitStack() as stack:
        set_up = style(way)
        if style is nothing:  # what makes its tables is no part of the run
            stack.enter_context(set_up)
        stack.enter_context(watched_server_connections())
        if style is not nothing:
            stack.enter_context(set_up)
        before = None if style is nothing else present(way)
        keeper = choose_keeper(Flask("shop"), [])
        keeper.snapshot()
        for number in range(REQUESTS):
            for _ in range(generator.randrange(3)):
                way.run(random_request(generator, number))
            # The last one may leave a transaction open, for which another request would wait.
            way.run(random_request(generator, number), crash=generator.random() < 0.4)
            keeper.restore()
            now = present(way)
            before = before or now
            assert now == before, number
        keeper.close()
        assert present(way) == before
