"""Scripts beside the code make the tables of a database on a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.servers.binaries import postgresql_folder
from pytest_evosearch.sut.servers.throw_away_servers import ThrowAwayServers
from pytest_evosearch.sut.users.missing_tables import create_missing_tables

DUMP = """
-- what its author loads by hand
CREATE DATABASE club;
CREATE TABLE member (
  name VARCHAR(20) NOT NULL
);
INSERT INTO member VALUES ('marta; and
otto');
"""


def create_app(root: Path, connect: Any) -> Flask:
    """Return an application that tells nobody when a table is missing."""
    app = Flask("club", root_path=str(root))

    @app.route("/")
    def count() -> str:
        with closing(connect()) as database, closing(database.cursor()) as cursor:
            try:
                cursor.execute("SELECT name FROM member")
            except Exception:
                return "none"
            return str([name for (name,) in cursor.fetchall()])

    return app


@pytest.fixture
def _servers() -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(watched_server_connections(ThrowAwayServers(stack).lead))
        yield


@pytest.mark.usefixtures("_servers")
@pytest.mark.parametrize("driver", ["pymysql", "psycopg2"])
def test_a_script_is_loaded_into_an_empty_database(tmp_path: Path, driver: str) -> None:
    library = pytest.importorskip(driver)
    if driver == "psycopg2" and postgresql_folder() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    (tmp_path / "club.sql").write_text(DUMP, encoding="utf-8")
    word = "database" if driver == "pymysql" else "dbname"
    app = create_app(tmp_path, lambda: library.connect(host="db.invalid", **{word: "club"}))

    statement = create_missing_tables(app, root=tmp_path)

    assert statement is not None
    assert 'Path(application.root_path, "club.sql").read_text' in statement
    assert "marta" not in statement
    assert app.test_client().get("/").text == r"['marta; and\notto']"


@pytest.mark.usefixtures("_servers")
def test_a_script_that_the_server_refuses_is_left_alone(tmp_path: Path) -> None:
    library = pytest.importorskip("pymysql")
    (tmp_path / "club.sql").write_text("CREATE TABLE member (name UNHEARD_OF);\n")
    app = create_app(tmp_path, lambda: library.connect(host="db.invalid", database="club"))

    assert create_missing_tables(app, root=tmp_path) is None
    assert app.test_client().get("/").text == "none"
