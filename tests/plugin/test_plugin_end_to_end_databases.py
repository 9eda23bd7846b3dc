"""An application without fixtures, on the developer's own database: nothing happens to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

NOTES = """
import os
import sqlite3
from flask import Flask, jsonify, request

app = Flask(__name__)
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes.db")


def connect():
    return sqlite3.connect(PATH)


@app.get("/notes")
def listing():
    with connect() as db:
        return jsonify([row[0] for row in db.execute("SELECT text FROM notes")])


@app.post("/notes")
def create():
    text = request.form["text"]
    with connect() as db:
        db.execute("INSERT INTO notes VALUES (?)", (text,))
    return jsonify(text=text), 201


@app.post("/drop")
def drop():
    with connect() as db:
        db.execute("DROP TABLE notes")
    return "dropped"


@app.post("/delete")
def delete():
    os.remove(PATH)
    return "deleted"


@app.post("/garble")
def garble():
    with open(PATH, "wb") as file:
        file.write(b"no database" * 100)
    return "garbled"
"""


def search_beside_a_database(project, application: str, budget: str):
    """Search and run what was written; check that the developer's database is as it was.

    Return the result of the search, and the text of the tests with single quotes.
    """
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(notes=application)
    path = project.path / "notes.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE notes (text)")
        database.execute("INSERT INTO notes VALUES ('first')")
        database.commit()
    before = path.read_bytes()
    result = project.run(
        f"--evosearch={budget}", "--evosearch-seed=1", "--evosearch-app=notes:app", subprocess=True
    )
    assert result.ret == 0
    assert path.read_bytes() == before
    alone = project.pytester.runpytest_subprocess("evosearch", "-p", "no:cacheprovider")
    assert alone.ret == 0
    assert path.read_bytes() == before
    modules = sorted((project.path / "evosearch").glob("test_*.py"))
    return result, "\n".join(module.read_text() for module in modules).replace('"', "'")


def test_database_survives_its_destruction(project) -> None:
    result, written = search_beside_a_database(project, NOTES, "100x")
    result.stdout.fnmatch_lines(
        [
            "*because in a real run it would remove */notes.db at notes.py:*",
            "*because in a real run it would write */notes.db at notes.py:*",
        ]
    )
    result.stdout.no_fnmatch_line("*PermissionError*")
    assert ".json == ['first'" in written
    assert "client.post('/drop')" in written


KEPT_ROWS = """
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from notes import app

DATABASE = Path(__file__).with_name("notes.db")


@pytest.fixture
def client():
    with closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("INSERT INTO notes VALUES ('of a fixture')")
    return app.test_client()
"""


def test_database_that_fixtures_fill_again_and_again_is_put_back(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    harmless = NOTES.replace("DROP TABLE notes", "SELECT 1")
    project.write(notes=harmless, conftest=KEPT_ROWS, test_notes="def test_a(client): pass\n")
    path = project.path / "notes.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE notes (text)")
        database.commit()
    before = path.read_bytes()

    result = project.run("--evosearch=60x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    assert list((project.path / "evosearch").glob("test_*.py"))
    assert path.read_bytes() == before


OWN_CLASS = NOTES.replace("import sqlite3", "from sqlite3 import Connection").replace(
    """def connect():
    return sqlite3.connect(PATH)
""",
    """class Notebook(Connection):
    path = PATH

    def __init__(self):
        super().__init__(self.path)


def connect():
    return Notebook()
""",
)
"""The notes in a connection of a class of their own, which opens the file without `connect`."""

OWN_CLASS_CONFTEST = """
import pytest

from notes import Notebook, app, connect


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    Notebook.path = str(tmp_path_factory.mktemp("data") / "own.db")
    with connect() as database:
        database.execute("CREATE TABLE notes (text)")
    return app.test_client()
"""


def test_database_that_a_class_of_the_application_opens_is_put_back(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    harmless = OWN_CLASS.replace("DROP TABLE notes", "SELECT 1")
    project.write(notes=harmless, conftest=OWN_CLASS_CONFTEST, test_notes="def test_a(client): 0\n")
    result = project.run("--evosearch=60x", "--evosearch-seed=1", subprocess=True, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*state    1 SQLite file*"])


def test_class_of_the_application_opens_a_copy_in_the_written_tests_as_well(project) -> None:
    _result, written = search_beside_a_database(project, OWN_CLASS, "60x")
    assert ".json == ['first'" in written


SETTINGS = """
from flask import Flask, current_app, request


def create_app():
    app = Flask(__name__)
    app.config["TEXTS"] = {"greeting": "Hello"}

    @app.get("/greeting")
    def greet():
        return {"text": current_app.config["TEXTS"]["greeting"]}

    @app.post("/settings")
    def save():
        greeting = request.form.get("greeting", "")
        if len(greeting) < 2:
            return {"error": "too short"}, 400
        current_app.config["TEXTS"]["greeting"] = greeting
        return {"saved": greeting}

    return app
"""

SETTINGS_CONFTEST = """
import pytest
from greeter import create_app


@pytest.fixture(scope="session")
def app():
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_settings_that_a_test_saves_are_gone_in_the_next(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(greeter=SETTINGS, conftest=SETTINGS_CONFTEST)
    project.pytester.syspathinsert()
    result = project.run("--evosearch=80x", "--evosearch-seed=1")
    assert result.ret == 0, result.stdout.str()
    folder = project.path / "evosearch"
    text = "".join(path.read_text() for path in sorted(folder.glob("test_*.py")))
    assert '{"text": "Hello"}' in text
    assert 'post("/settings", data={"greeting"' in text.replace("\n        ", "")
    conftest = (folder / "conftest.py").read_text()
    assert "def restored_settings(client):" in conftest
    assert 'settings["TEXTS"].update(saved_texts)' in conftest
    assert "dropped" not in result.stdout.str()


LIMITED = """
from flask import Flask, abort, request
from flask_caching import Cache
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

app = Flask(__name__)
cache = Cache(app, config={"CACHE_TYPE": "SimpleCache"})
limiter = Limiter(get_remote_address, app=app, storage_uri="memory://")


@app.post("/login")
def login():
    tries = (cache.get("tries") or 0) + 1
    cache.set("tries", tries)
    if tries > 2:
        abort(429)
    return {"tries": tries}


@app.post("/codes")
@limiter.limit("2 per day")
def codes():
    return {"code": len(request.form.get("name", ""))}
"""


def test_caches_and_rate_limits_begin_anew_with_each_test(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(app=LIMITED)
    project.pytester.syspathinsert()
    result = project.run("--evosearch=150x", "--evosearch-seed=1")
    assert result.ret == 0, result.stdout.str()
    assert "dropped" not in result.stdout.str()
    conftest = (project.path / "evosearch" / "conftest.py").read_text()
    assert "def emptied_caches(client):" in conftest
    assert "def reset_rate_limits(client):" in conftest
    text = (project.path / "evosearch" / "test_evosearch_app.py").read_text()
    assert text.count("status_code == 429") == 2
