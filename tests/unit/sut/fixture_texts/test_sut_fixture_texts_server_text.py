from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.sut.fixture_texts.server_text import can_be_written
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text

APPLICATION = """
import {module}
from flask import Flask

def create_app():
    app = Flask(__name__)

    def connect():
        return {connect}

    connection = connect()
    connection.cursor().execute("CREATE TABLE item (id {serial} PRIMARY KEY, name varchar(9))")
    connection.commit()
    connection.close()

    @app.post("/items")
    def add():
        connection = connect()
        cursor = connection.cursor()
        cursor.execute("INSERT INTO item (name) VALUES ('new')")
        cursor.execute("SELECT max(id) FROM item")
        (number,) = cursor.fetchone()
        connection.commit()
        connection.close()
        return {{"id": number}}

    return app
"""

ASYNCHRONOUS = """
import asyncio
import {module}
from flask import Flask

async def execute(*statements):
    {connect}
    for statement in statements:
        {run}
    {finish}

def create_app():
    app = Flask(__name__)
    asyncio.run(execute("CREATE TABLE item (id {serial} PRIMARY KEY, name varchar(9))"))

    @app.post("/items")
    def add():
        add = "INSERT INTO item (name) VALUES ('new')"
        number = asyncio.run(execute(add, "SELECT max(id) FROM item"))
        return {{"id": number}}

    return app
"""

TESTS = """
def test_first(client):
    assert client.post("/items").get_json() == {"id": 1}

def test_second(client):
    assert client.post("/items").get_json() == {"id": 1}
"""

LIBPQ = '"host=db.invalid user=me password=secret dbname=shop"'
MYSQL = 'host="db.invalid", user="me", password="secret", database="shop"'
AUTO = "int AUTO_INCREMENT"

SYNCHRONOUS_WAYS = {
    "psycopg2": ("psycopg2", f"psycopg2.connect({LIBPQ})", "serial"),
    "psycopg": ("psycopg", f"psycopg.connect({LIBPQ})", "serial"),
    "pg8000": ("pg8000.dbapi", f"pg8000.dbapi.connect({MYSQL})", "serial"),
    "pymysql": ("pymysql", f"pymysql.connect({MYSQL})", AUTO),
    "MySQLdb": ("MySQLdb", f"MySQLdb.connect({MYSQL})", AUTO),
    "mysql": ("mysql.connector", f"mysql.connector.connect({MYSQL})", AUTO),
}

ASYNCHRONOUS_WAYS = {
    "psycopg": {
        "connect": f"live = await psycopg.AsyncConnection.connect({LIBPQ})",
        "run": "cursor = await live.execute(statement)",
        "finish": (
            "found = await cursor.fetchone() if cursor.description else (None,)\n"
            "    await live.commit()\n    await live.close()\n    return found[0]"
        ),
        "serial": "serial",
    },
    "asyncpg": {
        "connect": 'live = await asyncpg.connect("postgresql://me:secret@db.invalid/shop")',
        "run": "found = await live.fetchval(statement)",
        "finish": "await live.close()\n    return found",
        "serial": "serial",
    },
    "aiomysql": {
        "connect": (
            'live = await aiomysql.connect("db.invalid", "me", "secret", "shop", autocommit=True)\n'
            "    cursor = await live.cursor()"
        ),
        "run": "await cursor.execute(statement)",
        "finish": (
            "found = await cursor.fetchone() if cursor.description else (None,)\n"
            "    await live.ensure_closed()\n    return found[0]"
        ),
        "serial": AUTO,
    },
}


def check_fixtures(pytester: pytest.Pytester, driver: str, application: str) -> None:
    text = SupportText(
        import_statement="from shop import create_app",
        expression="create_app()",
        server=driver,
        path_entries=[pytester.path],
    )
    pytester.makepyfile(shop=application, test_shop=TESTS)
    pytester.makeconftest(conftest_text(text, Path(pytester.path)))
    result = pytester.runpytest_subprocess("-q", "-p", "no:randomly", "-W", "error")
    for server in ("PostgreSQL", "MariaDB"):
        if f"{server} is not installed" in result.stdout.str():
            pytest.skip(f"{server} is not installed")
    result.assert_outcomes(passed=2)


@pytest.mark.slow("runs written tests in fresh interpreters")
@pytest.mark.parametrize("driver", SYNCHRONOUS_WAYS)
def test_written_tests_start_a_server_and_find_the_same_state_each(
    pytester: pytest.Pytester, driver: str
) -> None:
    module, connect, serial = SYNCHRONOUS_WAYS[driver]
    pytest.importorskip(module)
    application = APPLICATION.format(module=module, connect=connect, serial=serial)
    check_fixtures(pytester, driver, application)


@pytest.mark.slow("runs written tests in fresh interpreters")
@pytest.mark.parametrize("driver", ASYNCHRONOUS_WAYS)
def test_so_they_do_where_connections_are_asynchronous(
    pytester: pytest.Pytester, driver: str
) -> None:
    pytest.importorskip(driver)
    application = ASYNCHRONOUS.format(module=driver, **ASYNCHRONOUS_WAYS[driver])
    check_fixtures(pytester, driver, application)


def test_unknown_drivers_are_not_written() -> None:
    assert not can_be_written("pyodbc")
