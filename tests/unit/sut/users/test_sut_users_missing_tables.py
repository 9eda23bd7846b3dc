from __future__ import annotations

import sys
from pathlib import Path

import pytest
from apps.empty_database import create_command_app
from apps.empty_database import create_function_app
from apps.empty_database import create_model_app
from flask import Flask
from flask_sqlalchemy import SQLAlchemy

from pytest_evosearch.sut.users.missing_tables import create_missing_tables
from pytest_evosearch.sut.users.missing_tables import is_missing_tables
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


def test_models_are_created(tmp_path: Path) -> None:
    app = create_model_app(tmp_path)
    assert create_missing_tables(app) == 'application.extensions["sqlalchemy"].create_all()'
    assert app.test_client().get("/").text == "0"
    assert create_missing_tables(app) is None


def test_command_of_the_application_is_run(tmp_path: Path) -> None:
    app = create_command_app(tmp_path)
    assert create_missing_tables(app) == (
        'application.test_cli_runner().invoke(args=["init-db"], input="y\\n")'
    )
    assert app.test_client().get("/").text == "0"
    assert create_missing_tables(app) is None


def test_command_is_run_where_no_page_asks_for_a_table_yet(tmp_path: Path) -> None:
    app = create_command_app(tmp_path)
    app.view_functions["index"] = lambda: "log in first"
    app.config["DATABASE"] = str(tmp_path / "command.db")

    assert create_missing_tables(app) == (
        'application.test_cli_runner().invoke(args=["init-db"], input="y\\n")'
    )
    assert create_missing_tables(app) is None


@pytest.mark.parametrize("is_new", [False, True])
def test_command_is_run_for_a_new_database_that_pages_ask_for_after_a_form(is_new: bool) -> None:
    app = Flask("club")
    made: list[str] = []
    app.cli.command("init-db")(lambda: made.append("tables"))
    app.add_url_rule("/log-in", "log_in", lambda: "who are you?")

    assert (create_missing_tables(app, is_new=is_new) is not None) is is_new
    assert made == ["tables"] * is_new


@pytest.mark.parametrize("name", ["seed", "db", "drop-tables"])
def test_other_commands_are_left_alone(tmp_path: Path, name: str) -> None:
    app = create_command_app(tmp_path)
    app.cli.commands[name] = app.cli.commands.pop("init-db")
    assert create_missing_tables(app) is None


@pytest.mark.parametrize(
    ("name", "parameters", "call"),
    [
        ("create_tables", "", "create_tables()"),
        ("init_db", "path=None", "init_db()"),
        ("initialize_database", "app", "initialize_database(application)"),
    ],
)
def test_function_of_the_application_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, parameters: str, call: str
) -> None:
    module = create_function_app(tmp_path, name, parameters)
    monkeypatch.setitem(sys.modules, "notes", module)

    statements = create_missing_tables(module.app, modules=[module])

    assert statements == f"from notes import {name}\n\n{call}"
    assert module.app.test_client().get("/").text == "0"
    assert create_missing_tables(module.app, modules=[module]) is None


@pytest.mark.parametrize(
    ("name", "parameters"), [("create_tables", "folder"), ("create", ""), ("drop_tables", "")]
)
def test_other_functions_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, parameters: str
) -> None:
    module = create_function_app(tmp_path, name, parameters)
    monkeypatch.setitem(sys.modules, "notes", module)
    assert create_missing_tables(module.app, modules=[module]) is None
    assert module.app.test_client().get("/").status_code == 500


def test_view_that_makes_tables_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = create_function_app(tmp_path, "init_db")
    monkeypatch.setitem(sys.modules, "notes", module)
    module.app.add_url_rule("/set-up", view_func=module.init_db, methods=["POST"])
    assert create_missing_tables(module.app, modules=[module]) is None


def test_page_that_makes_tables_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that the question itself made would be there in no written test."""
    module = create_function_app(tmp_path, "init_db")
    monkeypatch.setitem(sys.modules, "notes", module)
    index, module.app = module.index, Flask("notes")
    module.app.add_url_rule("/set-up", view_func=lambda: module.init_db() or "done")
    module.app.add_url_rule("/", view_func=index)

    with watched_connections():
        statements = create_missing_tables(module.app, modules=[module])

    assert statements == "from notes import init_db\n\ninit_db()"


def test_application_without_database_needs_nothing() -> None:
    assert create_missing_tables(Flask(__name__)) is None


def test_extension_may_be_set_up_after_pages_were_asked() -> None:
    app, extension = Flask("shop"), SQLAlchemy()

    @app.get("/goods")
    def goods() -> str:
        return str(extension.engine)

    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"

    assert is_missing_tables(app)
    extension.init_app(app)
    assert not is_missing_tables(app)


def test_an_exception_without_a_text_is_not_about_a_table() -> None:
    app = Flask("shop")

    class Nameless(Exception):
        def __str__(self) -> str:
            raise KeyError("detail")

    @app.get("/goods")
    def goods() -> str:
        raise Nameless

    assert not is_missing_tables(app)
