from __future__ import annotations

import builtins
import io
import socket
import sqlite3
from contextlib import closing
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_evosearch.sut.watching.side_effects import Witness
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


def make_database(path: Path, rows: int = 1) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE item (name TEXT)")
        database.executemany("INSERT INTO item VALUES (?)", [("a",)] * rows)


def test_statements_come_with_their_values_escaped(tmp_path: Path) -> None:
    make_database(tmp_path / "a.db")
    with watched_connections() as connections:
        witness = Witness(connections)
        with witness.installed(), closing(sqlite3.connect(tmp_path / "a.db")) as database:
            database.execute("SELECT 'before'")
            witness.begin()
            database.execute("SELECT * FROM item WHERE name = ?", ("o'clock",))
            seen = witness.take()
            database.execute("SELECT 'after'")
    assert seen.statements == ("SELECT * FROM item WHERE name = 'o''clock'",)
    assert witness.take().statements == seen.statements


def test_files_are_seen_as_they_were_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    real = builtins.open, io.open
    witness = Witness(SqliteConnections())
    asked = f"{tmp_path}/x/../a.txt"
    with witness.installed():
        witness.begin()
        (tmp_path / "a.txt").read_text()
        with pytest.raises(FileNotFoundError), Path(asked).open():
            pass
        assert asked in witness.take().opened
    assert (builtins.open, io.open) == real


def test_hosts_are_seen_even_when_nothing_answers() -> None:
    own = "connect" in vars(socket.socket)
    witness = Witness(SqliteConnections())
    with witness.installed():
        witness.begin()
        with suppress(OSError), closing(socket.socket()) as connection:
            connection.settimeout(0.1)
            connection.connect(("127.0.0.1", 9))
        with suppress(OSError):
            socket.getaddrinfo("LOCALHOST", 9)
        assert witness.take().contacted == ("127.0.0.1", "localhost")
    assert ("connect" in vars(socket.socket)) is own
