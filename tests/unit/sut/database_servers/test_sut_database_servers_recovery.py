"""What a killed run leaves is put back by the next one, and nothing is lost that was there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from database_servers import Server
from database_servers import content
from database_servers import execute
from database_servers import fill

from pytest_evosearch.core.isolation import time
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.database_servers.preserved_servers import preserved_servers
from pytest_evosearch.sut.database_servers.preserved_servers import recover_at_first_connection
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper

KILLS = int(os.environ.get("EVOSEARCH_KILLS", "3"))
"""How many runs are killed, each at a random moment."""

ROOT = Path(__file__).parents[4]

RUN = """
import random, sys
from itertools import count
from pathlib import Path
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.database_servers.preserved_servers import preserved_servers
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from database_servers import Server, execute, random_writes, write
kind, socket, driver, database, journal, seed = sys.argv[1:]
generator = random.Random(seed)
server = Server(kind, Path(socket), count())
with watched_server_connections() as connections, preserved_servers(Path(journal)):
    application = server.connect(driver, database)
    execute(application, "CREATE TABLE of_fixtures (id int PRIMARY KEY)")
    execute(application, "INSERT INTO of_fixtures VALUES (1)")
    application.commit()
    keeper = ServersKeeper(connections)
    keeper.snapshot()
    print("searching", flush=True)
    for number in count():
        # A table that a request made when the run was killed is left alone: it may be the user's.
        statements = random_writes(generator, kind, number)
        write(application, [one for one in statements if "fresh" not in one], "commit")
        keeper.restore()
"""


@pytest.fixture(params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    pytest.importorskip(driver_of(found))
    return found


def driver_of(server: Server) -> str:
    return "psycopg2" if server.kind == "postgresql" else "pymysql"


def start(server: Server, database: str, journal: Path, seed: int) -> subprocess.Popen[str]:
    arguments = [server.kind, server.socket, driver_of(server), database, journal, seed]
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *(str(one) for one in arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])},
        stdout=subprocess.PIPE,
        text=True,
    )


def present(server: Server, database: str) -> dict[str, Any]:
    with closing(server.connect(driver_of(server), database)) as connection:
        return content(connection, server.kind)


def drop(server: Server, database: str, table: str) -> None:
    with closing(server.connect(driver_of(server), database)) as connection:
        execute(connection, f"DROP TABLE IF EXISTS {table}")
        connection.commit()


def test_a_run_that_is_killed_at_any_moment_loses_nothing(server: Server, tmp_path: Path) -> None:
    database = server.fresh_database()
    fill(server, database)
    before = present(server, database)
    journal = tmp_path / "servers.txt"
    generator = random.Random("kills")
    for seed in range(KILLS):
        process = start(server, database, journal, seed)
        assert process.stdout is not None
        if seed % 4:  # every fourth is killed while it prepares itself
            assert process.stdout.readline() == "searching\n"
        time.sleep(generator.random() * (0.5 if seed % 4 else 1.0))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with watched_server_connections() as connections:
            connections.listeners.append(recover_at_first_connection(journal))
            found = present(server, database)
        if seed % 4 == 0:  # nobody knows the tables of fixtures before the search has begun
            found.pop("public.of_fixtures", None)
            found.pop("of_fixtures", None)
            found["sequences"] = [one for one in found["sequences"] if "of_fixtures" not in one]
        assert found == before, seed
        drop(server, database, "of_fixtures")
        assert not journal.exists()


def test_a_database_that_another_search_works_on_is_refused(server: Server, tmp_path: Path) -> None:
    database = server.fresh_database()
    fill(server, database)
    process = start(server, database, tmp_path / "servers.txt", 0)
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    said = "another search works on the database"
    with watched_server_connections(), preserved_servers(tmp_path / "another.txt"):
        for _ in range(2):  # also by a fixture that is tried after the first one
            with pytest.raises(EvosearchUsageError, match=said):
                server.connect(driver_of(server), database)
    with watched_server_connections() as connections:
        server.connect(driver_of(server), database).close()
        with pytest.raises(EvosearchUsageError, match=said):
            ServersKeeper(connections).snapshot()
    assert process.poll() is None
    process.kill()
    process.communicate()


def test_what_fixtures_and_tests_change_is_put_back_at_the_end(
    server: Server, tmp_path: Path
) -> None:
    database = server.fresh_database()
    fill(server, database)
    before = present(server, database)
    journal = tmp_path / "reports" / "servers.txt"
    with (
        watched_server_connections(),
        preserved_servers(journal) as put_back,
        closing(server.connect(driver_of(server), database)) as connection,
    ):
        assert database in journal.read_text(encoding="utf-8")
        execute(connection, "DELETE FROM book")
        connection.commit()
        put_back()
        assert content(connection, server.kind) == before
        execute(connection, "DELETE FROM book")
        connection.commit()
    assert not journal.exists()
    assert present(server, database) == before
