"""The state comes back, whatever was written, by whichever driver; rows and sequences compared."""

from __future__ import annotations

import gc
import os
import random
from contextlib import closing

import pytest
from database_servers import MYSQL_DRIVERS
from database_servers import SCHEMAS
from database_servers import Server
from database_servers import content
from database_servers import execute
from database_servers import fill
from database_servers import random_writes
from database_servers import switch_to_autocommit
from database_servers import write

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.database_servers.servers_keeper import MOST_LIVE
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper

STATES = int(os.environ.get("EVOSEARCH_STATES", "100"))
"""How many random states each way to connect has to come back from."""


@pytest.fixture(params=["psycopg2", "psycopg", *MYSQL_DRIVERS])
def driver(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture
def server(driver: str, request: pytest.FixtureRequest) -> Server:
    name = "mariadb" if driver in MYSQL_DRIVERS else "postgresql"
    found: Server = request.getfixturevalue(name)
    return found


def test_every_random_state_comes_back(server: Server, driver: str) -> None:
    database = server.fresh_database()
    fill(server, database)
    generator = random.Random(f"{driver} states")
    with watched_server_connections() as connections:
        witness = server.connect(driver, database)
        before = content(witness, server.kind)
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        application = server.connect(driver, database)
        for number in range(STATES):
            statements = random_writes(generator, server.kind, number)
            ending = generator.choice(["commit", "commit", "commit", "rollback", ""])
            write(application, statements, ending)
            keeper.restore()
            assert content(witness, server.kind) == before, (number, statements, ending)
        keeper.close()
        assert content(witness, server.kind) == before
        for connection in (witness, application):
            connection.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_connections_that_are_left_in_cycles_are_closed_before_there_are_many(
    server: Server, driver: str
) -> None:
    database = server.fresh_database()
    fill(server, database)
    with watched_server_connections() as connections, closing(server.connect(driver, database)):
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        gc.disable()
        try:
            for _ in range(3 * MOST_LIVE):
                left: list[object] = [server.connect(driver, database)]
                left.append(left)
                del left
                keeper.restore()
                assert len(connections.live) <= MOST_LIVE + 2
        finally:
            gc.enable()
        keeper.close()


def test_what_is_committed_at_once_comes_back(server: Server, driver: str) -> None:
    database = server.fresh_database()
    fill(server, database)
    with watched_server_connections() as connections:
        application = server.connect(driver, database)
        before = content(application, server.kind)
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        with closing(server.connect(driver, database)) as another:
            switch_to_autocommit(another)
            write(another, ["INSERT INTO shelf (name) VALUES ('at once')"], "")
        assert content(application, server.kind) != before
        keeper.restore()
        assert content(application, server.kind) == before
        keeper.close()
        application.close()


def test_a_database_that_is_opened_later_is_kept_from_then_on(server: Server, driver: str) -> None:
    database = server.fresh_database()
    fill(server, database)
    with watched_server_connections() as connections:
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        assert keeper.count == 0
        with closing(server.connect(driver, database)) as application:
            before = content(application, server.kind)
            write(application, ["DELETE FROM book"], "commit")
            keeper.restore()
            assert content(application, server.kind) == before
            assert keeper.count == 1
            keeper.close()


def test_an_owner_without_special_rights_will_do(postgresql: Server) -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    database = postgresql.fresh_database()
    with closing(postgresql.connect("psycopg2", database)) as connection:
        switch_to_autocommit(connection)
        for statement in (
            "CREATE ROLE clerk LOGIN",
            f"ALTER DATABASE {database} OWNER TO clerk",
            "ALTER SCHEMA public OWNER TO clerk",
        ):
            execute(connection, statement)
    place = {"host": str(postgresql.socket), "user": "clerk", "dbname": database}
    generator = random.Random("clerk")
    with (
        watched_server_connections() as connections,
        closing(psycopg2.connect(**place)) as application,
        closing(psycopg2.connect(**place)) as witness,
    ):
        for statement in SCHEMAS["postgresql"]:
            execute(application, statement)
        application.commit()
        before = content(witness, "postgresql")
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        assert keeper.count == 1
        for number in range(STATES // 2):
            statements = random_writes(generator, "postgresql", number)
            write(application, statements, "commit")
            keeper.restore()
            assert content(witness, "postgresql") == before, (number, statements)
        keeper.close()


def test_a_database_that_cannot_be_kept_is_told(postgresql: Server) -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    database = postgresql.fresh_database()
    with closing(postgresql.connect("psycopg2", database)) as connection:
        switch_to_autocommit(connection)
        execute(connection, "CREATE ROLE guest LOGIN")
    place = {"host": str(postgresql.socket), "user": "guest", "dbname": database}
    with watched_server_connections() as connections, closing(psycopg2.connect(**place)):
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        assert keeper.count == 0
        assert f'not PostgreSQL database "{database}" (permission denied' in keeper.description
        keeper.restore()
        keeper.close()
