from __future__ import annotations

from itertools import count

import pytest
from flask import Flask
from flask import request
from flask import session
from werkzeug.test import Client
from werkzeug.wrappers import Request
from werkzeug.wrappers import Response

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
    client = Client(credentials.Credentials(app.wsgi_app, users))

    assert client.get("/me").text == "bob ann 7"
    assert client.get("/me", headers={"X-Key": "8"}).text == "bob ann 8"


def test_every_tenth_request_is_anonymous(credentials, app):
    client = Client(credentials.Credentials(app.wsgi_app, {"one": {"X-Key": "7"}}))

    assert [client.get("/me").text for _ in range(20)].count("None None None") == 2


def test_users_who_are_refused_log_in_again(credentials):
    valid = []

    def log_in(client):
        valid[:] = [str(len(client.post("/").text))]
        return {"X-Token": valid[0]}

    @Request.application
    def doorkeeper(request):
        if request.method == "POST":
            return Response("x" * next(numbers))
        return Response(status=200 if request.headers.get("X-Token") in valid else 401)

    numbers = count(1)
    client = Client(credentials.Credentials(doorkeeper, {"one": log_in}))
    assert client.get("/").status_code == 200

    valid.clear()
    answers = [client.get("/").status_code for _ in range(credentials.RENEWED_AFTER)]

    assert set(answers[:-1]) == {401}
    assert valid == ["2"]
    assert client.get("/").status_code == 200
