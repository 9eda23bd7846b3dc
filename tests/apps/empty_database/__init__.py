"""Applications whose database has no tables yet: with models, a command or a function."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import ModuleType

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


def create_function_app(folder: Path, function: str, parameters: str = "") -> ModuleType:
    """Return a module with an application, and with a function that makes its table."""
    module = ModuleType("notes")
    source = FUNCTION_APP.format(path=str(folder / "function.db"), name=function, of=parameters)
    exec(source, vars(module))
    return module


FUNCTION_APP = """
import sqlite3
from contextlib import closing

from flask import Flask

app = Flask(__name__)


def {name}({of}):
    with closing(sqlite3.connect({path!r})) as connection:
        connection.execute("CREATE TABLE note (id INTEGER)")


@app.get("/")
def index():
    with closing(sqlite3.connect({path!r})) as connection:
        return str(connection.execute("SELECT count(*) FROM note").fetchone()[0])
"""
