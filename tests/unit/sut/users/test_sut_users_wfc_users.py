"""Users of a WFC authentication document, in the search and in written tests."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from flask import request
from flask import session

from pytest_evosearch.sut.users.minted_users import mint_users

ENTRIES = {
    "fixed": {"name": "Ada L.", "fixedHeaders": [{"name": "X-Key", "value": "ada"}]},
    "cookies": {
        "name": "ada",
        "loginEndpointAuth": {
            "endpoint": "/login",
            "verb": "POST",
            "contentType": "application/x-www-form-urlencoded",
            "expectCookies": True,
            "payloadUserPwd": {
                "usernameField": "who",
                "username": "ada",
                "passwordField": "password",
                "password": 'p"w',
            },
        },
    },
    "token": {
        "name": "ada",
        "loginEndpointAuth": {
            "endpoint": "/token",
            "verb": "POST",
            "payloadRaw": '{"who": "ada"}',
            "token": {
                "extractFrom": "body",
                "extractSelector": "/tokens/0/value",
                "sendIn": "header",
                "sendName": "X-Key",
                "sendFormat": "a{token}",
            },
        },
    },
}


@pytest.fixture
def app():
    """An application that knows one user."""
    app = Flask(__name__)
    app.secret_key = "dev"

    @app.post("/login")
    def login():
        if request.form["password"] == 'p"w':
            session["who"] = request.form["who"]
        return ""

    @app.post("/token")
    def token():
        return {"tokens": [{"value": request.get_json()["who"][1:]}]}

    @app.get("/")
    def index():
        return session.get("who") or request.headers.get("X-Key", "nobody")

    return app


class NoPytest:
    """Stands in for pytest: its fixtures are plain functions."""

    @staticmethod
    def fixture(function):
        """Return the function as it is."""
        return function


@pytest.mark.parametrize("kind", ENTRIES)
def test_the_search_and_a_written_test_are_the_same_user(app, tmp_path, kind):
    """Whatever the kind of log-in."""
    (tmp_path / "auth.json").write_text(json.dumps({"auth": [ENTRIES[kind]]}))

    minted = mint_users(app, "web", tmp_path)
    (user,) = minted.users.values()

    client = app.test_client()
    if user.login is not None:
        user.login(client)
    assert client.get("/", headers=dict(user.headers)).text == "ada"
    assert minted.description == f"{user.name} (auth.json)"
    namespace = {"pytest": NoPytest}
    for source in minted.sources:
        exec(source, namespace)
    web = app.test_client()
    headers = dict(user.headers)
    if user.statement is not None:
        exec(user.statement, {user.fixtures[0]: namespace[user.fixtures[0]](), "web": web})
    elif user.headers_expression is not None:
        headers = namespace[user.headers_expression](web)
    assert web.get("/", headers=headers).text == "ada"


def test_a_template_says_what_users_share(app, tmp_path):
    """Also inside of nested objects."""
    pytest.importorskip("yaml")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "auth.yaml").write_text(
        "authTemplate:\n"
        "  loginEndpointAuth: {endpoint: /login, verb: POST, expectCookies: true,\n"
        "    contentType: application/x-www-form-urlencoded}\n"
        "auth:\n"
        "- name: bob\n"
        "  loginEndpointAuth: {payloadRaw: 'who=bob&password=p\"w'}\n"
    )

    minted = mint_users(app, root=tmp_path)

    client = app.test_client()
    minted.users["bob"].login(client)
    assert client.get("/").text == "bob"
    assert minted.description == "bob (tests/auth.yaml)"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"auth": 1}', '{"auth": [{"name": "x"}, {}, 1]}', '{"auth": {}}']
)
def test_other_documents_name_nobody(app, tmp_path, text):
    """The name of the file alone means little."""
    (tmp_path / "auth.json").write_text(text)

    assert mint_users(app, root=tmp_path).users == {}


def test_a_log_in_elsewhere_is_left_out(app, tmp_path):
    """No request leaves the process."""
    external = {"externalEndpointURL": "https://login.example.org", "verb": "POST"}
    document = {"auth": [{"name": "x", "loginEndpointAuth": external}, ENTRIES["fixed"]]}
    (tmp_path / "wfc-auth.json").write_text(json.dumps(document))

    assert list(mint_users(app, root=tmp_path).users) == ["ada_l"]
