from __future__ import annotations

from pathlib import Path

import pytest
from apps.empty_database import create_command_app
from apps.empty_database import create_model_app
from flask import Flask

from pytest_evosearch.sut.missing_tables import create_missing_tables


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


@pytest.mark.parametrize("name", ["seed", "db", "drop-tables"])
def test_other_commands_are_left_alone(tmp_path: Path, name: str) -> None:
    app = create_command_app(tmp_path)
    app.cli.commands[name] = app.cli.commands.pop("init-db")
    assert create_missing_tables(app) is None


def test_application_without_database_needs_nothing() -> None:
    assert create_missing_tables(Flask(__name__)) is None
