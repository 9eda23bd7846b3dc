"""Scripts and drawn models beside the code make the tables of a database on a server."""

from __future__ import annotations

import zipfile
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
from pytest_evosearch.sut.users.workbench_models import script_of_model

DUMP = """
-- what its author loads by hand
CREATE DATABASE club;
CREATE TABLE member (
  name VARCHAR(20) NOT NULL
);
INSERT INTO member VALUES ('marta; and
otto');
"""

MODEL = """<?xml version="1.0"?>
<data><value type="list" key="tables">
  <value type="object" struct-name="db.mysql.Table" id="T">
    <value type="list" key="columns">
      <value type="object" struct-name="db.mysql.Column" id="A">
        <value type="int" key="autoIncrement">1</value>
        <value type="int" key="isNotNull">1</value>
        <value type="int" key="length">-1</value>
        <link type="object" key="simpleType">com.mysql.rdbms.mysql.datatype.int</link>
        <value type="string" key="name">id</value>
      </value>
      <value type="object" struct-name="db.mysql.Column" id="B">
        <value type="int" key="length">80</value>
        <link type="object" key="simpleType">com.mysql.rdbms.mysql.datatype.varchar</link>
        <value type="string" key="name">name</value>
        <value type="string" key="defaultValue">'marta'</value>
      </value>
      <value type="object" struct-name="db.mysql.Column" id="C">
        <value type="int" key="isNotNull">1</value>
        <link type="object" key="simpleType">com.mysql.rdbms.mysql.datatype.datetime_f</link>
        <value type="string" key="name">joined</value>
        <value type="string" key="defaultValue">NOW()</value>
      </value>
      <value type="object" struct-name="db.mysql.Column" id="D">
        <link type="object" key="simpleType">com.mysql.rdbms.mysql.datatype.int</link>
        <value type="string" key="name">sponsor_id</value>
      </value>
    </value>
    <value type="list" key="foreignKeys">
      <value type="object" struct-name="db.mysql.ForeignKey" id="F">
        <link type="object" key="referencedTable">T</link>
        <value type="list" key="columns"><link type="object">D</link></value>
        <value type="list" key="referencedColumns"><link type="object">A</link></value>
        <value type="string" key="deleteRule">CASCADE</value>
      </value>
    </value>
    <value type="list" key="indices">
      <value type="object" struct-name="db.mysql.Index" id="I">
        <value type="list" key="columns">
          <value type="object" id="J"><link key="referencedColumn">A</link></value>
        </value>
        <value type="string" key="indexType">PRIMARY</value>
      </value>
      <value type="object" struct-name="db.mysql.Index" id="K">
        <value type="list" key="columns">
          <value type="object" id="L"><link key="referencedColumn">B</link></value>
        </value>
        <value type="string" key="indexType">UNIQUE</value>
      </value>
    </value>
    <value type="string" key="name">member</value>
  </value>
</value></data>
"""


def write_model(path: Path, document: str = MODEL) -> None:
    with zipfile.ZipFile(path, "w") as model:
        model.writestr("document.mwb.xml", document)


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
def test_a_model_is_written_as_the_tables_that_it_draws(tmp_path: Path) -> None:
    library = pytest.importorskip("pymysql")
    write_model(tmp_path / "club.mwb")
    app = create_app(tmp_path, lambda: library.connect(host="db.invalid", database="club"))

    statement = create_missing_tables(app, root=tmp_path)

    assert statement is not None
    assert "CREATE TABLE `member`" in statement
    assert app.test_client().get("/").text == "[]"


@pytest.mark.usefixtures("_servers")
def test_a_script_that_the_server_refuses_is_left_alone(tmp_path: Path) -> None:
    library = pytest.importorskip("pymysql")
    (tmp_path / "club.sql").write_text("CREATE TABLE member (name UNHEARD_OF);\n")
    app = create_app(tmp_path, lambda: library.connect(host="db.invalid", database="club"))

    assert create_missing_tables(app, root=tmp_path) is None
    assert app.test_client().get("/").text == "none"


def test_a_model_tells_columns_keys_and_references(tmp_path: Path) -> None:
    write_model(tmp_path / "club.mwb")

    assert script_of_model(tmp_path / "club.mwb").splitlines() == [
        "CREATE TABLE `member` (",
        "  `id` INT NOT NULL AUTO_INCREMENT,",
        "  `name` VARCHAR(80) NULL DEFAULT 'marta',",
        "  `joined` DATETIME NOT NULL DEFAULT NOW(),",
        "  `sponsor_id` INT NULL,",
        "  PRIMARY KEY (`id`),",
        "  UNIQUE (`name`),",
        "  FOREIGN KEY (`sponsor_id`) REFERENCES `member` (`id`) ON DELETE CASCADE",
        ");",
    ]


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip"])
def test_what_is_no_model_makes_no_tables(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "club.mwb").write_bytes(content)

    assert script_of_model(tmp_path / "club.mwb") == ""


def test_a_broken_document_makes_no_tables(tmp_path: Path) -> None:
    write_model(tmp_path / "club.mwb", "<data><value>")

    assert script_of_model(tmp_path / "club.mwb") == ""
