from __future__ import annotations

import pytest
from flask import Flask

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.users import user_from
from pytest_evosearch.sut.users import users_from


def test_a_mapping_of_users():
    users = users_from(
        {
            "token": {"Authorization": "Bearer x"},
            "basic": ("ann", "pw"),
            "cookie": lambda client: client.set_cookie("user", "bob"),
        }
    )

    assert users["token"].headers == {"Authorization": "Bearer x"}
    assert users["token"].headers_expression == 'evosearch_users["token"]'
    assert users["token"].fixtures == ("evosearch_users",)
    assert users["basic"].headers == {"Authorization": "Basic YW5uOnB3"}
    assert users["basic"].login is None
    client = Flask(__name__).test_client()
    users["cookie"].login(client)
    assert client.get_cookie("user").value == "bob"
    assert users["cookie"].statement == 'evosearch_users["cookie"](client)'


def test_a_fixture_with_headers():
    user = user_from("admin", {"X-Api-Key": "k"}, fixture="admin_headers")
    assert user.headers_expression == "admin_headers"
    assert user.fixtures == ("admin_headers",)


def test_an_object_that_logs_in_uses_the_client_at_hand():
    class AuthActions:
        def __init__(self, client):
            self._client = client

        def login(self, name="test"):
            self._client.set_cookie("user", name)

    app = Flask(__name__)
    own, other = app.test_client(), app.test_client()
    actions = AuthActions(own)

    user = user_from("test", actions, fixture="auth")
    user.login(other)

    assert user.statement == "auth.login()"
    assert other.get_cookie("user").value == "test"
    assert own.get_cookie("user") is None
    assert actions._client is own


def test_anything_else_is_refused():
    with pytest.raises(InvalidSetting, match="user 'x' is a int"):
        user_from("x", 3)
