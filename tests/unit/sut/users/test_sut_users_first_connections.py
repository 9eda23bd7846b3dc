"""What connects in handlers alone has its throw-away server before the search begins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from contextlib import closing
from typing import Any
from typing import NoReturn

import pytest
from database_servers import execute
from flask import Flask

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.throw_away_servers import ThrowAwayServers
from pytest_evosearch.sut.users.first_connections import note_first_connections

psycopg2 = pytest.importorskip("psycopg2")


def connect() -> Any:
    return psycopg2.connect("postgresql://shop:secret@db.example.com:5433/shop")


def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call as a visit with a time limit does."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function(*args, **kwargs)))
    thread.start()
    thread.join()
    return found[0]


def shop(sent: list[str]) -> Flask:
    app = Flask("shop")

    @app.post("/items/<int:number>")
    def add(number: int) -> str:
        with closing(connect()) as connection:
            sent.append("connected")
            execute(connection, "CREATE TABLE item (id int)")
            connection.commit()
        return str(number)

    return app


def test_server_is_there_and_outlives_the_visit_that_has_asked_for_it() -> None:
    sent: list[str] = []
    app = shop(sent)
    with ExitStack() as stack:
        servers = ThrowAwayServers(stack)
        connections = stack.enter_context(watched_server_connections(servers.lead))
        try:
            note_first_connections(app, in_thread, [])
        except Exception as error:
            if isinstance(error.__cause__, NoServer):
                pytest.skip(str(error))
            raise
        assert sent == []
        [database] = connections.databases.values()
        assert (database.place.database, database.led) == ("shop", True)
        assert app.test_client().post("/items/1").status_code == 200
        with closing(connect()) as connection:
            assert execute(connection, "SELECT * FROM item") == []


def test_the_search_begins_where_a_server_that_can_be_missing_is_missing() -> None:
    def lead(*_asked: object) -> NoReturn:
        asked.append("Redis")
        raise ConnectionRefusedError

    asked: list[str] = []
    with watched_server_connections(lead) as connections:
        note_first_connections(shop([]), in_thread, [])
    assert (asked, connections.databases) == (["Redis"], {})


def test_nothing_is_asked_where_no_connection_is_led() -> None:
    sent: list[str] = []
    with watched_server_connections() as connections:
        note_first_connections(shop(sent), in_thread, [])
    assert (sent, connections.databases) == ([], {})
