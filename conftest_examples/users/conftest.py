"""Users: every way to be somebody.

Generated tests use ``evosearch_users`` like any other fixture, so it needs no plugin.
"""

import sqlite3

import pytest
from door import create_app


@pytest.fixture
def app(tmp_path):
    path = tmp_path / "door.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE message (author TEXT, text TEXT)")
    database.close()
    app = create_app(str(path))
    app.config["TESTING"] = True
    return app


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def evosearch_users():
    return {
        # headers, sent with every request
        "key": {"X-Api-Key": "k-alice"},
        # (user, password): HTTP Basic
        "admin": ("root", "toor"),
        # a function that logs a fresh client in: forms, JSON, session_transaction(), CSRF ...
        "cookie": lambda client: client.post(
            "/login", data={"name": "alice", "password": "wonder"}
        ),
    }
