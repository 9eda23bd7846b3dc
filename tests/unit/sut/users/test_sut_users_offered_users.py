from __future__ import annotations

import time

import pytest
import time_machine
from flask import Flask
from flask import session

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.users.offered_users import user_from
from pytest_evosearch.sut.users.offered_users import users_from


@pytest.fixture
def app(load):
    return load("failing").app


def test_a_mapping_of_users(app):
    users = users_from(
        {
            "token": {"Authorization": "Bearer x"},
            "basic": ("ann", "pw"),
            "cookie": lambda client: client.get("/cookie"),
        }
    )

    assert users["token"].headers == {"Authorization": "Bearer x"}
    assert users["token"].headers_expression == 'evosearch_users["token"]'
    assert users["token"].fixtures == ("evosearch_users",)
    assert users["basic"].headers == {"Authorization": "Basic YW5uOnB3"}
    assert users["basic"].login is None
    client = app.test_client()
    users["cookie"].login(client)
    assert client.get("/taste").data == b"oat"
    assert users["cookie"].statement == 'evosearch_users["cookie"](client)'


def test_a_fixture_with_headers():
    user = user_from("admin", {"X-Api-Key": "k"}, fixture="admin_headers")
    assert user.headers_expression == "admin_headers"
    assert user.fixtures == ("admin_headers",)


def test_an_object_that_logs_in_uses_the_client_at_hand(app):
    class AuthActions:
        def __init__(self, client):
            self._client = client

        def login(self):
            self._client.get("/cookie")

    own, other = app.test_client(), app.test_client()
    actions = AuthActions(own)

    user = user_from("test", actions, fixture="auth")
    user.login(other)

    assert user.statement == "auth.login()"
    assert other.get("/taste").data == b"oat"
    assert own.get("/taste").status_code == 400
    assert actions._client is own


def test_anything_else_is_refused():
    with pytest.raises(InvalidSetting, match="user 'x' is a int"):
        user_from("x", 3)


def test_a_client_that_is_logged_in_stays_so_under_a_later_clock():
    app = Flask("shop")
    app.secret_key = "k"
    app.config["PERMANENT_SESSION_LIFETIME"] = 60

    @app.get("/login")
    def log_in():
        session.permanent = True
        session["name"] = "ann"
        return "", 204

    @app.get("/")
    def index():
        return session.get("name", "nobody")

    logged_in, plain = app.test_client(), app.test_client()
    logged_in.get("/login")
    user = user_from("ann_client", logged_in)

    with time_machine.travel(time.time() + 400 * 86_400):
        assert logged_in.get("/").text == "nobody"
        user.login(plain)
        assert plain.get("/").text == "ann"
