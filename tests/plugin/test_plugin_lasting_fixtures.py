"""Fixtures of a session with a database in a fixed place, which they expect not to be there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

SHOP = """
from flask import Flask, request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Item(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String, unique=True)


def create_app(url):
    app = Flask(__name__)
    app.testing = True
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    db.init_app(app)

    @app.get("/items")
    def items():
        return {"names": [item.name for item in Item.query]}

    @app.post("/items")
    def create():
        name = request.get_json()["name"]
        if Item.query.filter_by(name=name).first():
            return {"error": "known"}, 409
        db.session.add(Item(name=name))
        db.session.commit()
        return {"name": name}, 201

    return app
"""

CONFTEST = """
from pathlib import Path

import pytest

from shop import create_app, db

DATABASE = Path(__file__).with_name("fixed.sqlite")


@pytest.fixture(scope="session")
def app():
    yield create_app(f"sqlite:///{DATABASE}")
    DATABASE.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def initial_data(app):
    with app.app_context():
        db.metadata.create_all(db.engine, checkfirst=False)  # fails where the tables are there


@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_their_tests_hold_and_nothing_is_left_behind(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(
        shop=SHOP,
        conftest=CONFTEST,
        test_shop="def test_items(client, initial_data):\n    client.get('/items')\n",
    )
    result = project.run("--evosearch=120x", "--evosearch-seed=1", subprocess=True)

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*fails in a fresh interpreter*")
    result.stdout.no_fnmatch_line("*no such table*")
    folder = Path(project.path, "evosearch")
    written = "\n".join(path.read_text() for path in folder.glob("test_evosearch_*.py"))
    assert "initial_data" in written
    assert "409" in written
    assert not (project.path / "fixed.sqlite").exists()


REGISTRY = """
from flask import Flask, request


class Settings:
    known = None  # a fixture fills it


def create_app():
    app = Flask(__name__)
    app.testing = True

    @app.get("/known")
    def known():
        return Settings.known

    @app.put("/known/<name>")
    def learn(name):
        Settings.known[name] = request.get_json()
        return {"learnt": name}

    return app
"""

FILLED = """
import pytest

from registry import Settings, create_app


@pytest.fixture
def app():
    Settings.known = {"first": 1}
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_what_their_fixtures_fill_is_put_back_as_they_have_filled_it(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    test = "def test_known(client):\n    client.get('/known')\n"
    project.write(registry=REGISTRY, conftest=FILLED, test_registry=test)
    project.pytester.syspathinsert()
    result = project.run("--evosearch=60x", "--evosearch-seed=1")

    assert result.ret == 0
    dropped = [line for line in result.outlines if line.startswith("  1 because")]
    assert [line for line in dropped if "bare status" not in line] == []
    conftest = Path(project.path, "evosearch", "conftest.py").read_text()
    assert "def restored_state(client):" in conftest


LIBRARY = """
import sqlite3

from flask import Flask


class Shelf:
    def __init__(self):
        self.rows = sqlite3.connect(":memory:", check_same_thread=False)
        self.rows.execute("create table book (name text)")
        self.rows.commit()


def create_app():
    app = Flask(__name__)
    app.shelf = Shelf()

    @app.put("/book")
    def add():
        if app.shelf.rows.execute("select 1 from book").fetchone():
            return {"error": "known"}, 409
        app.shelf.rows.execute("insert into book values ('first')")
        app.shelf.rows.commit()
        return {"name": "first"}, 201

    @app.get("/book")
    def get():
        row = app.shelf.rows.execute("select name from book").fetchone()
        return ({"name": row[0]}, 200) if row else ({"error": "none"}, 404)

    return app
"""

BORROWERS = """
import pytest

from library import create_app


@pytest.fixture(scope="session")
def app():
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_a_database_in_memory_that_an_object_holds_is_put_back(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    test = "def test_add(client):\n    client.put('/book')\n"
    project.write(library=LIBRARY, conftest=BORROWERS, test_library=test)
    project.pytester.syspathinsert()
    result = project.run("--evosearch=100x", "--evosearch-seed=1")

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*dropped*")
    folder = Path(project.path, "evosearch")
    written = "\n".join(path.read_text() for path in folder.glob("test_evosearch_*.py"))
    assert all(status in written for status in ("200", "201", "404", "409"))
    assert "app.shelf.rows" in (folder / "conftest.py").read_text()
