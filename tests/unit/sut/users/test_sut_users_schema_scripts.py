"""A script of SQL beside the code makes the tables that its author loads by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from flask import Flask
from flask import request

from pytest_evosearch.sut.users.missing_tables import create_missing_tables
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections

SCRIPT = "CREATE TABLE member (name TEXT); INSERT INTO member VALUES ('marta');"


def create_app(root: Path) -> Flask:
    """Return an application that reads a table only where a form is sent to."""
    app = Flask("club", root_path=str(root))

    @app.route("/login", methods=["GET", "POST"])
    def login() -> str:
        if request.method == "GET":
            return "who are you"
        query = "SELECT count(*) FROM member WHERE name = ?"
        with sqlite3.connect(root / "club.db") as database:
            return str(database.execute(query, (request.form.get("name", ""),)).fetchone()[0])

    return app


def written(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def test_a_script_is_loaded_into_the_copy_that_the_application_opens(tmp_path: Path) -> None:
    root = tmp_path / "club"
    written(root, "data.sql", "INSERT INTO nothing VALUES (1)")
    (root / "database").mkdir()
    written(root, "database/club.sql", SCRIPT)
    app = create_app(root)

    with watched_connections(tmp_path / "copies", root):
        statement = create_missing_tables(app, root=root)
        answer = app.test_client().post("/login", data={"name": "marta"})

    assert answer.text == "1"
    assert statement is not None
    assert 'Path(application.root_path, "database/club.sql")' in statement
    assert 'Path(application.root_path, "club.db")' in statement
    assert not (root / "club.db").exists()


@pytest.mark.parametrize(
    "script", ["SELECT 1", "CREATE TABLE member (name TEXT); ENGINE=InnoDB", "CREATE TABLE x (a)"]
)
def test_a_script_that_does_not_help_is_left_alone(tmp_path: Path, script: str) -> None:
    root = tmp_path / "club"
    written(root, "club.sql", script)

    with watched_connections(tmp_path / "copies", root):
        assert create_missing_tables(create_app(root), root=root) is None


def test_a_database_of_the_checkout_is_not_filled(tmp_path: Path) -> None:
    root = tmp_path / "club"
    written(root, "club.sql", SCRIPT)
    (root / "club.db").touch()

    with watched_connections(tmp_path / "copies", root):
        assert create_missing_tables(create_app(root), root=root) is None
