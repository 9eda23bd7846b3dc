"""Two applications whose database has no tables yet: one with models, one with a command."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from flask import Flask
from flask_sqlalchemy import SQLAlchemy


def create_model_app(folder: Path) -> Flask:
    """Return an application whose tables are models of Flask-SQLAlchemy."""
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder / 'models.db'}"
    database = SQLAlchemy(app)

    class Note(database.Model):  # type: ignore[name-defined,misc]
        id = database.Column(database.Integer, primary_key=True)

    @app.get("/")
    def index() -> str:
        return str(database.session.query(Note).count())

    return app


def create_command_app(folder: Path) -> Flask:
    """Return an application with ``flask init-db``, as in Flask's tutorial."""
    app = Flask(__name__)
    path = folder / "command.db"

    @app.cli.command("init-db")
    def initialise() -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE note (id INTEGER)")

    @app.get("/")
    def index() -> str:
        with closing(sqlite3.connect(path)) as connection:
            return str(connection.execute("SELECT count(*) FROM note").fetchone()[0])

    return app
