"""Accounts that an application makes by itself get the tokens of its log-in."""

from __future__ import annotations

import pytest
from flask import Flask
from flask import jsonify
from flask import request

from pytest_evosearch.sut.users.minted_users import mint_users


@pytest.fixture
def module(module):
    """The module of the application, which says who there is and how tokens are sent."""
    module.people = [
        {"email": "ann@example.org", "password": "cat", "role": "clerk"},
        {"email": "bob@example.org", "password": "dog", "role": "chief"},
    ]
    module.way = ("Authorization", "Bearer {token}")
    module.answer = lambda token: {"token": token}
    return module


@pytest.fixture
def app(module):
    """An application that gives tokens."""
    app = Flask(module.__name__)

    def log_in():
        given = request.get_json()
        passwords = {each["email"]: each["password"] for each in module.people}
        if "email" not in given or passwords.get(given["email"]) != given.get("password"):
            return jsonify(error="who?"), 401
        return jsonify(module.answer(f"t-{given['email']}"))

    def accounts():
        header, template = module.way
        tokens = [template.format(token=f"t-{each['email']}") for each in module.people]
        if request.headers.get(header) not in tokens:
            return jsonify(error="who?"), 401
        return jsonify([])

    for view, path, methods in (
        (accounts, "/accounts", ["GET"]),
        (log_in, "/api/login", ["POST"]),
    ):
        view.__module__ = module.__name__
        app.add_url_rule(path, view_func=view, methods=methods)
    return app


@pytest.mark.parametrize(
    ("way", "answer"),
    [
        (("Authorization", "Bearer {token}"), lambda token: {"token": token}),
        (("x-access-token", "{token}"), lambda token: {"data": {"accessToken": token}}),
        (
            ("Authorization", "Token {token}"),
            lambda token: {"refresh_token": "r", "access_token": token, "user": {"id": 1}},
        ),
    ],
)
def test_the_token_is_sent_as_the_application_wants_it(app, module, way, answer):
    module.way, module.answer = way, answer

    minted = mint_users(app)

    assert minted.description == "known ann, bob (a token)"
    header, template = way
    assert dict(minted.users["ann"].headers) == {header: template.format(token="t-ann@example.org")}


def test_fixture_that_is_written_makes_the_headers(app):
    minted = mint_users(app)

    user = minted.users["bob"]
    assert (user.fixtures, user.headers_expression) == (("bob_headers",), "bob_headers")
    namespace = {"pytest": pytest}
    exec(minted.sources[1].replace("@pytest.fixture\n", ""), namespace)
    headers = namespace["bob_headers"](app.test_client())
    assert app.test_client().get("/accounts", headers=headers).status_code == 200


def test_nobody_is_a_user_where_the_token_opens_nothing(app, module):
    module.way = ("x-secret", "{token}")

    assert not mint_users(app).users


def test_a_log_in_that_lets_everybody_in_tells_nothing(app, module):
    app.view_functions["log_in"] = lambda: jsonify(token="t-ann@example.org")

    assert not mint_users(app).users


def test_of_two_of_one_name_the_first_is_a_user(app, module):
    # Each user's fixture has the user's name.  A key of a dict need not be a text.
    namesake = {"email": "ann@example.com", "password": "cow", "role": "guest", 7: "lucky"}
    module.people.append(namesake)

    minted = mint_users(app)

    assert (list(minted.users), len(minted.sources)) == (["ann", "bob"], 2)
