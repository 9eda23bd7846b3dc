from __future__ import annotations

import inspect
import textwrap
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from werkzeug.test import Client

from pytest_evosearch.bridge.applications.project_clients import client_factory
from pytest_evosearch.bridge.applications.project_clients import is_application
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.bridge.applications.project_clients import makes_only_a_client


class OwnClient(FlaskClient):
    greeting = "hello"


@pytest.fixture
def flask_app() -> flask.Flask:
    app = flask.Flask("shop")
    app.secret_key = "dev"
    app.test_client_class = OwnClient

    @app.get("/")
    def index() -> str:
        return str(flask.session.get("user")) + flask.request.headers.get("X-Key", "")

    @app.post("/login")
    def login() -> str:
        flask.session["user"] = "alice"
        return "ok"

    return app


def test_clients_and_applications_are_known_by_type(flask_app: flask.Flask) -> None:
    assert is_client(flask_app.test_client())
    assert is_client(Client(flask_app))
    assert not is_client(flask_app)
    assert not is_client(FlaskClient)
    assert is_application(flask_app)
    assert not is_application(flask.Flask)
    assert not is_application(None)


def test_clients_share_nothing(flask_app: flask.Flask) -> None:
    make = client_factory(flask_app.test_client())
    first, second = make(), make()
    first.post("/login")
    assert first.get("/").text == "alice"
    assert second.get("/").text == "None"
    assert make().get("/").text == "None"


def delete_cookie(client: Any, name: str) -> None:
    """Delete a cookie; Werkzeug before 2.3 wants the server's name first."""
    old = "server_name" in inspect.signature(client.delete_cookie).parameters
    client.delete_cookie(*(["localhost"] if old else []), name)


def test_class_cookies_and_headers_are_kept(flask_app: flask.Flask) -> None:
    original = flask_app.test_client()
    original.environ_base["HTTP_X_KEY"] = "!"
    original.post("/login")
    make = client_factory(original)
    delete_cookie(original, "session")
    assert make().greeting == "hello"
    assert make().get("/").text == "alice!"


def test_client_without_cookies_and_open_context(flask_app: flask.Flask) -> None:
    make = client_factory(flask_app.test_client(use_cookies=False))
    fresh = make()
    fresh.post("/login")
    assert fresh.get("/").text == "None"
    with flask_app.test_client() as opened:
        opened.get("/")
        assert client_factory(opened)().preserve_context is False


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return app.test_client()", True),
        ("client = app.test_client()\n    return client", True),
        ("with app.test_client() as client:\n        yield client", True),
        ("create_all()\n    return app.test_client()", False),
        ("client = app.test_client()\n    client.environ_base['A'] = 1\n    return client", False),
        ("app.testing = True\n    return app.test_client()", False),
        ("return client", False),
        ("return (", False),
    ],
)
def test_a_fixture_may_make_nothing_but_a_client(body: str, expected: bool) -> None:
    function = f"@pytest.fixture()\ndef client(app):\n    {body}\n"
    source = textwrap.indent(function, "    ")  # a method of a class of tests

    assert makes_only_a_client(source) is expected
