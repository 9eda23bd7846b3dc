"""One server of each kind for the tests of a process, started at the first wish for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.sut.servers.mariadb_server import mariadb_server
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.postgresql_server import postgresql_server

POSTGRESQL_DRIVERS = ("psycopg2", "psycopg", "asyncpg")
MYSQL_DRIVERS = ("pymysql", "MySQLdb", "mysql.connector")


@dataclass(frozen=True)
class Server:
    """A server, and how each driver gets there."""

    kind: str
    socket: Path
    numbers: Iterator[int]

    def fresh_database(self) -> str:
        """Make an empty database, and return its name."""
        name = f"test_{next(self.numbers)}"
        driver = "psycopg2" if self.kind == "postgresql" else "pymysql"
        with closing(self.connect(driver, "postgres" if driver == "psycopg2" else "mysql")) as one:
            switch_to_autocommit(one)
            execute(one, f"CREATE DATABASE {name}")
        return name

    def connect(self, driver: str, database: str) -> Any:
        """Connect by a driver of DB-API."""
        module = pytest.importorskip(driver)
        if self.kind == "postgresql":
            return module.connect(host=str(self.socket), user="evosearch", dbname=database)
        quick = {"ssl_disabled": True} if driver != "MySQLdb" else {}
        return module.connect(unix_socket=str(self.socket), user="root", database=database, **quick)

    def url(self, driver: str, database: str) -> str:
        """Return the address for SQLAlchemy."""
        if self.kind == "postgresql":
            return f"postgresql+{driver}://evosearch@/{database}?host={self.socket}"
        spelled = {"MySQLdb": "mysqldb", "mysql.connector": "mysqlconnector"}.get(driver, driver)
        return f"mysql+{spelled}://root@localhost/{database}?unix_socket={self.socket}"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    with _skipping_without(postgresql_server) as server:
        yield Server("postgresql", server.folder, count(1))


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    with _skipping_without(mariadb_server) as server:
        yield Server("mysql", server.socket, count(1))


@contextmanager
def _skipping_without(start: Callable[[], Any]) -> Iterator[Any]:
    try:
        server = start()
        entered = server.__enter__()
    except NoServer as error:
        pytest.skip(str(error))
    try:
        yield entered
    finally:
        server.__exit__(None, None, None)


def execute(connection: Any, statement: str) -> list[tuple[Any, ...]]:
    """Run one statement, and return its rows."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []


def switch_to_autocommit(connection: Any) -> None:
    switch = connection.autocommit
    if callable(switch):
        switch(True)
    else:
        connection.autocommit = True


SCHEMAS = {
    "postgresql": [
        "CREATE TABLE shelf (id serial PRIMARY KEY, name text NOT NULL UNIQUE)",
        (
            'CREATE TABLE "Odd table" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "a b" text,'
            " twice int GENERATED ALWAYS AS (7) STORED)"
        ),
        (
            "CREATE TABLE book (id serial PRIMARY KEY, shelf_id int NOT NULL REFERENCES shelf"
            " ON DELETE CASCADE, sequel_of int REFERENCES book ON DELETE SET NULL, facts json)"
        ),
        "CREATE TABLE journal (line text)",
        (
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN INSERT INTO journal VALUES (NEW.name); RETURN NEW; END'"
        ),
        "CREATE TRIGGER noting AFTER INSERT ON shelf FOR EACH ROW EXECUTE FUNCTION note()",
        "CREATE SEQUENCE ticket START 5",
        "CREATE SCHEMA archive",
        "CREATE TABLE archive.many (id int PRIMARY KEY, value text)",
        "INSERT INTO archive.many SELECT n, 'v' || n FROM generate_series(1, 400) n",
        "INSERT INTO shelf (name) VALUES ('first'), ('second')",
        "INSERT INTO book (shelf_id, facts) VALUES (1, '{\"a\": 1}'), (1, NULL), (2, '[]')",
        'INSERT INTO "Odd table" ("a b") VALUES (\'x\')',
    ],
    "mysql": [
        "CREATE TABLE shelf (id int AUTO_INCREMENT PRIMARY KEY, name varchar(60) NOT NULL UNIQUE)",
        (
            "CREATE TABLE `Odd table` (id int AUTO_INCREMENT PRIMARY KEY, `a b` text,"
            " twice int GENERATED ALWAYS AS (7) STORED)"
        ),
        (
            "CREATE TABLE book (id int AUTO_INCREMENT PRIMARY KEY, shelf_id int NOT NULL,"
            " sequel_of int, facts json, FOREIGN KEY (shelf_id) REFERENCES shelf (id)"
            " ON DELETE CASCADE, FOREIGN KEY (sequel_of) REFERENCES book (id) ON DELETE SET NULL)"
        ),
        "CREATE TABLE journal (line text)",
        (
            "CREATE TRIGGER noting AFTER INSERT ON shelf FOR EACH ROW"
            " INSERT INTO journal VALUES (NEW.name)"
        ),
        "CREATE TABLE many (id int PRIMARY KEY, value text)",
        "INSERT INTO many SELECT seq, concat('v', seq) FROM seq_1_to_400",
        "INSERT INTO shelf (name) VALUES ('first'), ('second')",
        "INSERT INTO book (shelf_id, facts) VALUES (1, '{\"a\": 1}'), (1, NULL), (2, '[]')",
        "INSERT INTO `Odd table` (`a b`) VALUES ('x')",
    ],
}


def fill(server: Server, database: str) -> None:
    """Make a schema with most of what makes it hard to put back, and some rows."""
    driver = "psycopg2" if server.kind == "postgresql" else "pymysql"
    with closing(server.connect(driver, database)) as connection:
        for statement in SCHEMAS[server.kind]:
            execute(connection, statement)
        connection.commit()


def random_writes(generator: random.Random, kind: str, number: int) -> list[str]:
    """Return statements that change something; some of them fail."""
    quote = '"' if kind == "postgresql" else "`"
    odd, column = f"{quote}Odd table{quote}", f"{quote}a b{quote}"
    many = "archive.many" if kind == "postgresql" else "many"
    key = generator.randrange(1, 6)
    choices = [
        f"INSERT INTO shelf (name) VALUES ('s{number}')",
        "INSERT INTO shelf (name) VALUES ('first')",
        f"INSERT INTO book (shelf_id) VALUES ({key})",
        f"UPDATE book SET facts = '{{\"n\": {number}}}' WHERE id = {key}",
        "UPDATE book SET sequel_of = 1 WHERE id = 2",
        f"DELETE FROM shelf WHERE id = {key}",
        f"DELETE FROM book WHERE id = {key}",
        "DELETE FROM journal",
        "INSERT INTO journal VALUES (NULL)",
        f"INSERT INTO {odd} ({column}) VALUES ('y')",
        f"UPDATE {odd} SET {column} = 'z'",
        f"UPDATE {many} SET value = 'w' WHERE id = {generator.randrange(1, 400)}",
        f"DELETE FROM {many} WHERE id > {generator.randrange(300, 420)}",
        f"INSERT INTO {many} VALUES ({generator.randrange(300, 500)}, 'new')",
        f"TRUNCATE TABLE {'journal' if kind == 'mysql' else 'book, journal RESTART IDENTITY'}",
    ]
    if kind == "postgresql":
        choices += ["SELECT nextval('ticket')", "SELECT setval('ticket', 1000)"]
        choices += ["CREATE TABLE IF NOT EXISTS fresh (id serial PRIMARY KEY)"]
    else:
        choices += ["CREATE TABLE IF NOT EXISTS fresh (id int AUTO_INCREMENT PRIMARY KEY)"]
    return generator.choices(choices, k=generator.randrange(0, 6))


def write(connection: Any, statements: list[str], ending: str) -> None:
    """Run statements as a handler would, and end them: ``commit``, ``rollback``, or not at all."""
    for statement in statements:
        _try(connection, statement)
    if ending:
        with suppress(Exception):
            getattr(connection, ending)()


def _try(connection: Any, statement: str) -> None:
    try:
        execute(connection, statement)
    except Exception:
        connection.rollback()


def content(connection: Any, kind: str) -> dict[str, Any]:
    """Return every row of every table, and where its numbers go on."""
    found: dict[str, Any] = {}
    if kind == "postgresql":
        tables = execute(
            connection,
            "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name)"
            " FROM information_schema.tables WHERE table_schema NOT IN"
            " ('pg_catalog', 'information_schema', 'evosearch_kept', 'evosearch_found')"
            " AND table_type = 'BASE TABLE'",
        )
        for (name,) in tables:
            found[name] = execute(connection, f"SELECT t::text FROM {name} t ORDER BY 1")
        sequences = "SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2"
        found["sequences"] = execute(connection, sequences)
    else:
        for (name,) in execute(connection, "SHOW TABLES"):
            rows = execute(connection, f"SELECT * FROM `{name}`")
            found[name] = sorted(rows, key=repr)
        found["sequences"] = execute(
            connection,
            "SELECT table_name, auto_increment FROM information_schema.tables"
            " WHERE table_schema = database() ORDER BY 1",
        )
    connection.rollback()
    return found
