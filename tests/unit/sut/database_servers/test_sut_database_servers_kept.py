"""Connections that the application closes are handed out again, as new."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from database_servers import Server
from database_servers import execute

from pytest_evosearch.sut.database_servers.connections import ServerConnections
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.database_servers.kept_connections import MOST_KEPT
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper

PROCESS = "SELECT pg_backend_pid()"


@pytest.fixture(params=["psycopg2", "psycopg"])
def driver(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture
def database(postgresql: Server) -> str:
    return postgresql.fresh_database()


@pytest.fixture
def connections(postgresql: Server, driver: str, database: str) -> Iterator[ServerConnections]:
    with watched_server_connections() as connections:
        postgresql.connect(driver, database).close()
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        yield connections
        keeper.close()
        assert connections.kept is None


def process_of(connection: Any) -> int:
    return int(execute(connection, PROCESS)[0][0])


@pytest.mark.usefixtures("connections")
def test_a_closed_connection_is_handed_out_again_as_new(
    postgresql: Server, driver: str, database: str
) -> None:
    first = postgresql.connect(driver, database)
    process = process_of(first)
    execute(first, "CREATE TEMPORARY TABLE passing (id int)")
    execute(first, "SET statement_timeout = 77")
    execute(first, "SELECT pg_advisory_lock(1)")
    first.commit()
    first.autocommit = True
    first.close()
    del first
    second = postgresql.connect(driver, database)
    assert process_of(second) == process
    assert not second.autocommit
    assert execute(second, "SHOW statement_timeout") == [("0",)]
    assert execute(second, "SELECT to_regclass('passing')") == [(None,)]
    assert execute(second, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]
    second.close()


@pytest.mark.usefixtures("connections")
def test_what_was_not_committed_is_gone_at_once(
    postgresql: Server, driver: str, database: str
) -> None:
    first = postgresql.connect(driver, database)
    execute(first, "CREATE TABLE item (id int)")
    first.close()
    second = postgresql.connect(driver, database)
    assert execute(second, "SELECT to_regclass('item')") == [(None,)]
    second.close()


@pytest.mark.usefixtures("connections")
def test_a_connection_that_is_closed_refuses_as_such(
    postgresql: Server, driver: str, database: str
) -> None:
    first = postgresql.connect(driver, database)
    first.close()
    assert first.closed
    second = postgresql.connect(driver, database)
    assert first is not second
    with pytest.raises(Exception, match="closed"):
        execute(first, PROCESS)
    second.close()


@pytest.mark.usefixtures("connections")
def test_a_connection_that_the_server_has_ended_is_not_handed_out(
    postgresql: Server, driver: str, database: str
) -> None:
    first = postgresql.connect(driver, database)
    process = process_of(first)
    first.close()
    del first
    other = postgresql.connect("psycopg2", "postgres")
    execute(other, f"SELECT pg_terminate_backend({process}, 1000)")
    other.close()
    second = postgresql.connect(driver, database)
    assert process_of(second) != process
    second.close()


def test_no_connection_is_left_when_the_search_is_over(
    postgresql: Server, driver: str, database: str
) -> None:
    with watched_server_connections() as connections:
        postgresql.connect(driver, database).close()
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        postgresql.connect(driver, database).close()
        assert connections.kept is not None
        assert connections.kept.waiting
        keeper.close()
    other = postgresql.connect("psycopg2", "postgres")
    others = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'"
    for _ in range(100):  # the server notices a little later
        if execute(other, others) == [(0,)]:
            break
        time.sleep(0.05)
    assert execute(other, others) == [(0,)]
    other.close()


@pytest.mark.usefixtures("connections")
def test_errors_that_are_kept_do_not_take_the_room_of_later_connections(
    postgresql: Server, driver: str, database: str
) -> None:
    errors = []
    for _ in range(MOST_KEPT + 1):
        broken = postgresql.connect(driver, database)
        with pytest.raises(Exception, match="missing") as raised:
            execute(broken, "SELECT * FROM missing")
        errors.append(raised)
        broken.close()
        del broken
    first = postgresql.connect(driver, database)
    process = process_of(first)
    first.close()
    del first
    second = postgresql.connect(driver, database)
    assert process_of(second) == process
    second.close()
