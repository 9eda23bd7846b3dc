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

IS_WHOLE = "EVOSEARCH_STATES" in os.environ
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
        address = server.url(driver, database)
        # With 1.4, too, a connection has a `commit`.
        self.engine = sqlalchemy.create_engine(address, connect_args=extra, future=True)

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


class OuterTransaction(Sqlalchemy):
    """A session on the connection of a fixture, whose transaction is rolled back at the end."""

    live: Any = None

    def hold(self) -> None:
        self.live = self.engine.connect()
        self.outer = self.live.begin()

    def run(self, statement: str, *, crash: bool = False) -> None:
        if self.live is None:
            super().run(statement, crash=crash)
            return
        orm = pytest.importorskip("sqlalchemy.orm")
        session = orm.Session(self.live, join_transaction_mode="create_savepoint")
        try:
            session.execute(self.text(statement))
            if not crash:
                session.commit()
        except Exception:
            session.rollback()
        session.close()

    def rows(self) -> list[Any]:
        rows = self.live.execute(self.text("SELECT id, name FROM item ORDER BY id")).all()
        return [tuple(row) for row in rows]

    def release(self) -> None:
        self.outer.rollback()
        self.live.close()
        self.live = None


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


class Pooled(Way):
    """A pool of psycopg."""

    def __init__(self, server: Server, database: str, driver: str) -> None:
        super().__init__(server, database, driver)
        place = f"host={server.socket} user=evosearch dbname={database}"
        kind = pytest.importorskip("psycopg_pool").ConnectionPool
        self.pool = kind(place, min_size=1, max_size=2, open=False)

    def run(self, statement: str, *, crash: bool = False) -> None:
        self.pool.open()
        with suppress(Exception), self.pool.connection() as connection:
            execute(connection, statement)
            assert not crash

    def close(self) -> None:
        self.pool.close()


class AsynchronousSqlalchemy(Way):
    """An asynchronous engine, with an event loop for each request."""

    def run(self, statement: str, *, crash: bool = False) -> None:
        asyncio.run(self._run(statement, crash))

    async def _run(self, statement: str, crash: bool) -> None:
        asynchronous = pytest.importorskip("sqlalchemy.ext.asyncio")
        text = pytest.importorskip("sqlalchemy").text
        engine = asynchronous.create_async_engine(self.server.url(self.driver, self.database))
        with suppress(Exception):
            async with engine.begin() as connection:
                await connection.execute(text(statement))
                assert not crash
        await engine.dispose()


class AsynchronousMysql(Way):
    """aiomysql, with an event loop for each request; a crash leaves the connection to it."""

    def run(self, statement: str, *, crash: bool = False) -> None:
        asyncio.run(self._run(statement, crash))

    async def _run(self, statement: str, crash: bool) -> None:
        aiomysql = pytest.importorskip("aiomysql")
        place = {"unix_socket": str(self.server.socket), "user": "root", "db": self.database}
        connection = await aiomysql.connect(**place)
        with suppress(Exception):
            cursor = await connection.cursor()
            await cursor.execute(statement)
            assert not crash
            await connection.commit()
        connection.close()
        await asyncio.sleep(0)  # the loop has to hear of it


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
    "a pool of psycopg": ("postgresql", Pooled, "psycopg"),
    "psycopg 3, a connection each": ("postgresql", PlainConnections, "psycopg"),
    "SQLAlchemy on asyncpg": ("postgresql", AsynchronousSqlalchemy, "asyncpg"),
    "SQLAlchemy on asynchronous psycopg": ("postgresql", AsynchronousSqlalchemy, "psycopg"),
    "aiomysql": ("mariadb", AsynchronousMysql, "aiomysql"),
    "SQLAlchemy on aiomysql": ("mariadb", AsynchronousSqlalchemy, "aiomysql"),
    "mysql-connector, a connection each": ("mariadb", PlainConnections, "mysql.connector"),
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


@contextmanager
def opened(name: str, request: pytest.FixtureRequest) -> Iterator[Way]:
    server_name, kind, driver = WAYS[name]
    pytest.importorskip(driver)
    server = request.getfixturevalue(server_name)
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


@contextmanager
def tables_of_a_function(way: Way) -> Iterator[None]:
    """Tables are made anew for each test, from nothing."""
    way.run("DROP TABLE IF EXISTS item")
    with tables_of_a_session(way):
        yield


STYLES = [tables_of_a_session, tables_of_a_function, truncated_in_teardown, nothing]


MATRIX = [
    (name, style)
    for number, name in enumerate(WAYS)
    for place, style in enumerate(STYLES)
    if IS_WHOLE or number % len(STYLES) == place
]
"""Every way with every style; in a usual run each way with one style alone."""


@pytest.mark.parametrize(("name", "style"), MATRIX)
def test_state_comes_back(
    name: str, style: Callable[[Way], Any], request: pytest.FixtureRequest
) -> None:
    generator = random.Random(style.__name__)
    with ExitStack() as stack:
        way = stack.enter_context(opened(name, request))
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


@pytest.mark.parametrize(
    ("server_name", "driver"),
    [("postgresql", "psycopg2"), ("postgresql", "psycopg"), ("mariadb", "pymysql")],
)
def test_a_transaction_that_a_fixture_holds_is_used(
    server_name: str, driver: str, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip(driver)
    server: Server = request.getfixturevalue(server_name)
    generator = random.Random("held")
    with (
        watched_server_connections(),
        closing(OuterTransaction(server, server.fresh_database(), driver)) as way,
    ):
        way.run(TABLES[server.kind][0])
        way.hold()
        way.run(SEED)
        before = way.rows()
        keeper = choose_keeper(Flask("shop"), [])
        keeper.snapshot()
        for number in range(REQUESTS):
            for _ in range(generator.randrange(3)):
                way.run(random_request(generator, number), crash=generator.random() < 0.3)
            keeper.restore()
            assert way.rows() == before, number
        way.run("INSERT INTO item (name) VALUES ('next')")
        if server.kind == "postgresql":  # nothing but the holder itself sets MySQL's counters
            assert way.rows()[-1] == (2, "next")
        keeper.restore()
        way.release()
        keeper.close()
