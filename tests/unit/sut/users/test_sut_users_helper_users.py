from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask import request
from flask import session

from pytest_evosearch.sut.clients.client import make_client
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.project_scan import find_login_calls
from pytest_evosearch.sut.users.helper_users import helper_users

HELPERS = """
def login_as(app, name="ann", password="secret"):
    with app.test_client() as client:
        client.post("/login", data={"name": name, "password": password})
        return client

def with_token(app, token):
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = token
    return client

def plain(app):
    return app.test_client()

def register(app, name):
    app.test_client().post("/register", data={"name": name})
"""
TESTS = """
from helpers_of_shop import login_as, plain, register, with_token

def test_a(app):
    plain(app)
    plain(app)
    plain(app)
    plain(app)
    register(app, "eve")
    login_as(app)
    login_as(app)
    login_as(app)
    login_as(app, "bob")
    login_as(app, name="Bob")
    login_as(app, name=app.name)
    with_token(app, "key-of-root")
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "helpers_of_shop.py").write_text(HELPERS)
    (tmp_path / "tests" / "test_shop.py").write_text(TESTS)
    monkeypatch.syspath_prepend(str(tmp_path / "tests"))
    yield tmp_path
    sys.modules.pop("helpers_of_shop", None)


@pytest.fixture
def app() -> Flask:
    app = Flask("shop")
    app.secret_key = "for tests"

    @app.get("/")
    def index() -> str:
        session["token"] = "of a form"
        return "welcome"

    @app.post("/login")
    def login() -> str:
        if request.form["name"] not in ("bob", "Bob"):
            return "who?"
        session["user"] = request.form["name"].lower()
        return "hello"

    @app.get("/me")
    def me() -> str:
        return f"{session.get('user')} {request.headers.get('Authorization')}"

    return app


def test_calls_are_those_of_functions_that_give_a_client_the_commonest_first(root: Path) -> None:
    calls = find_login_calls(ParsedTests(root))

    assert [call.expression("flask_app") for call in calls] == [
        "plain(flask_app)",
        "login_as(flask_app)",
        "login_as(flask_app, 'bob')",
        "login_as(flask_app, name='Bob')",
        "with_token(flask_app, 'key-of-root')",
    ]


def test_only_those_are_users_who_have_what_a_visitor_has_not(root: Path, app: Flask) -> None:
    minted = helper_users(app, ParsedTests(root), [root / "tests"])

    assert list(minted.users) == ["bob", "key_of_root"]
    assert minted.description == (
        "bob, key_of_root (helpers_of_shop.login_as, helpers_of_shop.with_token)"
    )
    answers = {}
    for name, user in minted.users.items():
        client = make_client(app)
        assert user.login is not None
        user.login(client)
        answers[name] = client.get("/me").text
    assert answers == {"bob": "bob None", "key_of_root": "None key-of-root"}


def test_a_written_test_gets_the_client_as_the_tests_of_the_project_do(
    root: Path, app: Flask
) -> None:
    minted = helper_users(app, ParsedTests(root), [root / "tests"])

    assert minted.users["bob"].client == "bob_client"
    assert minted.users["bob"].fixtures == ("bob_client",)
    assert minted.users["bob"].replaces_client
    assert '    return login_as(flask_app, "bob")\n' in minted.sources[0]
    namespace: dict[str, object] = {"pytest": pytest}
    source = minted.sources[0].removeprefix("@pytest.fixture\n")
    exec(source, namespace)
    made = namespace["bob_client"](app)  # type: ignore[operator]
    assert made.get("/me").text == "bob None"


def test_functions_out_of_the_reach_of_the_written_tests_are_left_alone(
    root: Path, app: Flask
) -> None:
    assert not helper_users(app, ParsedTests(root), [root]).users
