from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


@pytest.mark.parametrize("through", ["connection", "cursor"])
def test_an_error_that_is_kept_does_not_keep_the_locks_of_its_connection(
    tmp_path: Path, through: str
) -> None:
    """SQLite does not really close a connection while one of its cursors lives."""

    def refused() -> BaseException:
        connection = sqlite3.connect(tmp_path / "shop.db")
        place = connection if through == "connection" else connection.cursor()
        place.execute("INSERT INTO item VALUES ('lamp')")
        try:
            place.execute("INSERT INTO item VALUES ('lamp')")
        except sqlite3.IntegrityError as error:
            del place
            connection.close()
            return error
        raise AssertionError("the second row was not refused")

    with watched_connections():
        first = sqlite3.connect(tmp_path / "shop.db", timeout=0.0)
        first.execute("CREATE TABLE item (name TEXT PRIMARY KEY)")
        kept = refused()
        first.execute("INSERT INTO item VALUES ('chair')")
        first.close()
    assert isinstance(kept, sqlite3.IntegrityError)
