"""Throw-away servers: started, ended with their process whatever ends it, and swept."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextlib import ExitStack
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.scratch import remove_orphans
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.sandbox.child_processes import is_running
from pytest_evosearch.sut.servers import throw_away_servers
from pytest_evosearch.sut.servers.binaries import postgresql_folder
from pytest_evosearch.sut.servers.mariadb_server import mariadb_server
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.postgresql_server import postgresql_server
from pytest_evosearch.sut.servers.redis_server import redis_server
from pytest_evosearch.sut.servers.server_folders import server_folder
from pytest_evosearch.sut.servers.throw_away_servers import ThrowAwayServers

PATIENCE_SECONDS = 60.0

KILLED = """
import os, signal
from pathlib import Path
from pytest_evosearch.sut.servers.postgresql_server import postgresql_server
with postgresql_server() as server:
    number = (server.folder / "data" / "postmaster.pid").read_text().splitlines()[0]
    print(server.folder, number, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def started(stack: ExitStack, start: Callable[[], AbstractContextManager[Any]]) -> Any:
    try:
        return stack.enter_context(start())
    except NoServer as error:
        pytest.skip(str(error))


def test_postgresql_answers_and_is_gone_afterwards() -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    with ExitStack() as stack:
        server = started(stack, postgresql_server)
        place = {"host": str(server.folder), "user": server.user, "dbname": "postgres"}
        with closing(psycopg2.connect(**place)) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW listen_addresses")
            assert cursor.fetchone() == ("",)
    assert not server.folder.exists()


def test_mariadb_stores_all_letters_as_mysql_does() -> None:
    pymysql = pytest.importorskip("pymysql")
    with ExitStack() as stack:
        server = started(stack, mariadb_server)
        place = {"unix_socket": str(server.socket), "user": server.user}
        with closing(pymysql.connect(**place)) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE school")
            cursor.execute("CREATE TABLE school.teacher (name VARCHAR(20))")
            cursor.execute("INSERT INTO school.teacher VALUES ('所有老师')")
            cursor.execute("SELECT name FROM school.teacher")
            assert cursor.fetchone() == ("所有老师",)


def test_redis_answers_on_its_socket() -> None:
    redis = pytest.importorskip("redis")
    with ExitStack() as stack:
        socket = started(stack, redis_server)
        with closing(redis.Redis(unix_socket_path=str(socket))) as client:
            client.set("a", "1")
            assert client.get("a") == b"1"


@pytest.mark.slow("a server starts")
def test_mariadb_folder_is_gone_afterwards() -> None:
    with ExitStack() as stack:
        server = started(stack, mariadb_server)
        assert server.socket.exists()
    assert not server.socket.parent.exists()


def test_a_server_ends_with_a_process_that_is_killed_and_its_folder_is_swept() -> None:
    if postgresql_folder() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    folder, number = done.stdout.split()
    assert Path(folder).exists()
    end = time.monotonic() + PATIENCE_SECONDS
    while is_running(int(number)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(int(number))
    remove_orphans(Path(folder).parent)
    assert not Path(folder).exists()


def test_a_folder_in_use_is_not_swept() -> None:
    with server_folder() as folder:
        remove_orphans()
        assert folder.exists()


def test_a_connection_to_a_server_that_is_not_there_is_led_to_one_that_is() -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    if postgresql_folder() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with ExitStack() as stack:
        servers = ThrowAwayServers(stack)
        stack.enter_context(watched_server_connections(servers.lead))
        for _ in range(2):
            connection = psycopg2.connect("postgresql://me:secret@db.invalid/shop")
            with closing(connection), connection.cursor() as cursor:
                cursor.execute("SELECT current_database()")
                assert cursor.fetchone() == ("shop",)


def test_without_a_server_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    psycopg2 = pytest.importorskip("psycopg2")

    def missing() -> None:
        raise NoServer("there is nothing to start: install it")

    monkeypatch.setattr(throw_away_servers, "postgresql_server", missing)
    with ExitStack() as stack:
        servers = ThrowAwayServers(stack)
        stack.enter_context(watched_server_connections(servers.lead))
        with pytest.raises(EvosearchUsageError) as caught:
            psycopg2.connect("postgresql://me:secret@db.invalid/shop")
    message = str(caught.value)
    assert "install it; or allow it with --evosearch-allow-db" in message
    assert "db.invalid:5432/shop" in message
    assert "secret" not in message


@pytest.mark.skipif(shutil.which("unshare") is None or os.geteuid() != 0, reason="not as root")
def test_as_root_no_user_is_added_and_the_folder_stays_private() -> None:
    users = Path("/etc/passwd").read_bytes()
    with ExitStack() as stack:
        server = started(stack, postgresql_server)
        assert server.folder.stat().st_mode & 0o077 == 0
    assert Path("/etc/passwd").read_bytes() == users


def test_server_outlives_the_thread_that_has_asked_for_it() -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    if postgresql_folder() is None:
        pytest.skip("there is no PostgreSQL")
    with ExitStack() as stack:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(started(stack, postgresql_server)))
        thread.start()
        thread.join()
        [server] = found
        time.sleep(0.2)
        place = {"host": str(server.folder), "user": server.user, "dbname": "postgres"}
        with closing(psycopg2.connect(**place)) as connection:
            assert connection.closed == 0
