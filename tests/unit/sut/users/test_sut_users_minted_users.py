from __future__ import annotations

import sys

import pytest
from apps.seeded_users import create_session_app
from apps.seeded_users import create_token_app
from flask import Flask
from flask_login import LoginManager

from pytest_evosearch.sut.users.minted_users import mint_users


@pytest.mark.parametrize("protection", ["basic", "strong"])
def test_existing_user_of_flask_login_gets_a_session(protection: str) -> None:
    app = create_session_app(protection)
    minted = mint_users(app, "web")
    assert list(minted.users) == ["user_2"]
    user = minted.users["user_2"]
    client = app.test_client()
    assert user.login is not None
    user.login(client)
    assert client.get("/").text == "2"
    assert app.test_client().get("/").status_code == 401
    assert user.statement == 'login_as(web, "2")'


def test_token_is_signed_with_the_key_of_the_application() -> None:
    app = create_token_app()
    user = mint_users(app).users["user_1"]
    assert app.test_client().get("/", headers=dict(user.headers)).text == "1"
    assert user.headers["Authorization"].startswith("JWT ")
    assert user.headers_expression == "token_headers"


@pytest.mark.parametrize("factory", [create_session_app, create_token_app])
def test_written_fixture_makes_the_same_user(factory) -> None:  # type: ignore[no-untyped-def]
    app = factory()
    minted = mint_users(app)
    namespace: dict[str, object] = {"pytest": NoPytest}
    exec(minted.sources[0], namespace)
    client = app.test_client()
    (name, user), *_ = minted.users.items()
    if user.statement is not None:
        namespace["login_as"] = namespace["login_as"]()  # type: ignore[operator]
        exec(user.statement, {**namespace, "client": client})
        headers = {}
    else:
        headers = namespace["token_headers"](client)  # type: ignore[operator]
    assert client.get("/", headers=headers).text == name.removeprefix("user_")


class NoPytest:
    """Stands in for pytest: its fixtures are plain functions."""

    @staticmethod
    def fixture(function):  # type: ignore[no-untyped-def]
        return function


def test_nobody_is_minted_without_an_extension() -> None:
    assert mint_users(Flask(__name__)).users == {}


class Member:
    def __init__(self, number: int, role: str) -> None:
        self.id = number
        self.role = role

    def get_id(self) -> str:
        return str(self.id)

    is_active = is_authenticated = True


@pytest.mark.parametrize(
    ("roles", "chosen"),
    [
        (["user", "user", "user", "admin", "admin"], ["user_1", "user_2", "admin"]),
        (["admin", "user", "user", "admin"], ["admin", "user"]),
        (["user", "user", "user"], ["user_1", "user_2"]),
    ],
    ids=["administrators come late", "one is first", "nobody may do more"],
)
def test_somebody_who_may_do_more_than_the_first_users_is_among_them(
    roles: list[str], chosen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Flask(__name__)
    users = {str(number): Member(number, role) for number, role in enumerate(roles, 1)}
    LoginManager(app).user_loader(users.get)
    monkeypatch.setattr(sys.modules[__name__], "USERS", users, raising=False)

    assert list(mint_users(app).users) == chosen


class Unreadable(Member):
    @property
    def __dict__(self) -> dict[str, object]:  # type: ignore[override]
        raise RuntimeError("no database today")


def test_user_whose_rights_cannot_be_read_is_still_a_user() -> None:
    app = Flask(__name__)
    LoginManager(app).user_loader({"1": Unreadable(1, "user")}.get)

    assert list(mint_users(app).users) == ["user_1"]
