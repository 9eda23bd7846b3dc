"""Whom the application makes itself, or a provider that is not there, comes in, in tests, too."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

DOORS = Path(__file__).resolve().parents[1] / "quality" / "doors"

TABLE = """
import sqlite3

from flask import Flask, jsonify

DB = sqlite3.connect(":memory:", check_same_thread=False)


def create_app():
    app = Flask(__name__)

    @app.get("/places")
    def places():
        return jsonify([row[0] for row in DB.execute("SELECT name FROM place")])

    return app
"""

CONFTEST = """
import os

import pytest
from table import DB, create_app


@pytest.fixture(scope="session")
def app():
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture(scope="module")
def places(app):
    host = os.environ["PLACES_HOST"]
    DB.execute("CREATE TABLE place (name TEXT)")
    DB.execute("INSERT INTO place VALUES (?)", (host,))
    DB.commit()
    yield
    DB.execute("DROP TABLE place")
"""


def written(project):
    """Return the text of the suite, whose tests have passed in fresh interpreters."""
    return "".join(path.read_text() for path in sorted(project.path.rglob("evosearch/*.py")))


@pytest.mark.parametrize(
    ("door", "library", "telling"),
    [
        ("account_by_command", "flask", 'args=["create-staff", "inga", "--role", "boss"'),
        ("hash_in_settings", "flask", 'generate_password_hash("'),
        ("set_up_first", "flask", 'data={"title": "acorn"'),
        ("openid_client", "authlib", '"roles": ["warden"]'),
    ],
)
def test_written_fixture_lets_in_as_the_search_did(project, door, library, telling) -> None:
    pytest.importorskip(library)
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(app=(DOORS / f"{door}.py").read_text(encoding="utf-8"))
    result = project.run("--evosearch=250x", "--evosearch-seed=1", subprocess=True, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*let in: *"])
    assert telling in written(project)
    result.stdout.fnmatch_lines(["*LookupError: *"])
    assert "assert response.status_code < 500" in written(project)


def test_variable_that_a_fixture_misses_is_set_and_told(project) -> None:
    own = "def test_places(client, places):\n    assert client.get('/places').status_code == 200\n"
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(table=TABLE, conftest=CONFTEST, test_own=own)
    result = project.run("--evosearch=40x", "--evosearch-seed=1", subprocess=True, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*fixtures need unset variables*PLACES_HOST=localhost*"])
    assert 'patch.setenv("PLACES_HOST", "localhost")' in written(project)
    assert 'response.json == ["localhost"]' in written(project)
