from __future__ import annotations

import pytest
from flask import Flask
from flask import request
from flask import session
from werkzeug.test import Client

from benchmarks import measure


@pytest.fixture
def credentials(monkeypatch):
    monkeypatch.syspath_prepend(str(measure.INSIDE))
    import credentials

    return credentials


@pytest.fixture
def app():
    app = Flask(__name__)
    app.secret_key = "secret"

    @app.post("/login")
    def log_in():
        session["name"] = request.form["name"]
        return "welcome"

    @app.get("/me")
    def me():
        given = request.authorization
        return f"{session.get('name')} {given and given.username} {request.headers.get('X-Key')}"

    return app


def test_all_kinds_of_users_are_sent(credentials, app):
    users = {
        "one": ("ann", "secret"),
        "two": lambda client: client.post("/login", data={"name": "bob"}),
        "three": {"X-Key": "7", "Authorization": "ignored: the first one counts"},
    }
    headers = credentials.headers_of(app, users)
    client = Client(credentials.Credentials(app.wsgi_app, headers))

    assert client.get("/me").text == "bob ann 7"
    assert client.get("/me", headers={"X-Key": "8"}).text == "bob ann 8"


def test_every_tenth_request_is_anonymous(credentials, app):
    client = Client(credentials.Credentials(app.wsgi_app, {"X-Key": "7"}))

    assert [client.get("/me").text for _ in range(20)].count("None None None") == 2
