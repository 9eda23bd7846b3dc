from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.sut.state.preserved_databases import preserved_databases
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


def drop_everything(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE IF EXISTS note")
        connection.commit()


def test_existing_file_is_put_back(tmp_path: Path) -> None:
    path = tmp_path / "dev.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (text)")
    before = path.read_bytes()
    with watched_connections():
        preserved = preserved_databases()
        preserved.__enter__()
        drop_everything(path)
    drop_everything(path)  # fixtures are torn down after the search
    assert path.read_bytes() != before
    preserved.__exit__(None, None, None)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_file_that_fixtures_removed_comes_back_and_new_ones_stay(tmp_path: Path) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    old.write_bytes(b"")
    with watched_connections(), preserved_databases():
        drop_everything(old)
        drop_everything(new)
        old.unlink()
    assert old.read_bytes() == b""
    assert new.exists()


def test_what_was_not_there_goes_again_with_the_folder_that_was_made_for_it(tmp_path: Path) -> None:
    own, folder = tmp_path / "own", tmp_path / "instance"
    own.mkdir()
    (own / "notes.txt").write_text("somebody's")
    with (
        Safekeeping(tmp_path).opened() as safe,
        watched_connections(),
        preserved_databases(safe) as put_back,
    ):
        folder.mkdir()
        for path in (folder / "tests.sqlite", own / "tests.sqlite"):
            drop_everything(path)
            path.with_name("tests.sqlite-journal").write_bytes(b"left by a run that was ended")
        put_back()
        assert [one.name for one in own.iterdir()] == ["notes.txt"]
        assert not folder.exists()


def test_nothing_is_kept_where_nothing_is_watched(tmp_path: Path) -> None:
    path = tmp_path / "dev.db"
    path.write_bytes(b"")
    with preserved_databases(), closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (text)")
    assert path.read_bytes() != b""
