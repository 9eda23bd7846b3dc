from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from types import ModuleType
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask import request
from flask_login import LoginManager
from flask_login import current_user

from pytest_evosearch.sut.users.minted_users import mint_users

MODULE = "numbered_by_chance"


def application(*names: str, is_unique: bool = True) -> Flask:
    """Return an application whose users are identified by a UUID that is drawn for each of them."""
    sqlalchemy = pytest.importorskip("flask_sqlalchemy")
    app = Flask(__name__)
    app.config.update(SECRET_KEY="k", SQLALCHEMY_DATABASE_URI="sqlite://")
    db = sqlalchemy.SQLAlchemy(app)

    class User(db.Model):  # type: ignore[name-defined]
        __module__ = MODULE
        id = db.Column(db.Integer, primary_key=True)
        drawn = db.Column(db.String, unique=True)
        email = db.Column(db.String, unique=is_unique)
        is_active = is_authenticated = True

        def get_id(self) -> str:
            return str(self.drawn)

    sys.modules[MODULE].User = User  # type: ignore[attr-defined]
    LoginManager(app).user_loader(lambda drawn: User.query.filter_by(drawn=drawn).first())
    app.add_url_rule("/", view_func=lambda: current_user.email)
    with app.app_context():
        db.create_all()
        for name in names:
            db.session.add(User(drawn=str(uuid.uuid4()), email=name))
        db.session.commit()
        sys.modules[MODULE].engines.append(db.engine)  # type: ignore[attr-defined]
    return app


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module: Any = ModuleType(MODULE)
    module.engines = []
    monkeypatch.setitem(sys.modules, MODULE, module)
    yield
    for engine in module.engines:
        engine.dispose()


@pytest.fixture
def identities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand for what is found in the tables of users."""

    def known_identities(app: Any) -> list[str]:
        with app.app_context():
            return [user.drawn for user in sys.modules[MODULE].User.query.all()]

    monkeypatch.setattr(
        "pytest_evosearch.sut.users.minted_users.known_identities", known_identities
    )


@pytest.mark.usefixtures("identities")
def test_a_user_with_a_drawn_identity_is_told_by_another_column() -> None:
    app = application("ann@example.org", "joe@example.org")
    minted = mint_users(app, "web")

    assert list(minted.users) == ["ann", "joe"]
    joe = minted.users["joe"]
    assert joe.statement == 'login_as(web, email="joe@example.org")'
    client = app.test_client()
    assert joe.login is not None
    joe.login(client)
    assert client.get("/").text == "joe@example.org"


@pytest.mark.usefixtures("identities")
def test_the_written_fixture_finds_the_user_among_those_of_another_run() -> None:
    (source,) = mint_users(application("ann@example.org", "joe@example.org")).sources
    namespace: dict[str, Any] = {"pytest": SimpleNamespace(fixture=lambda function: function)}
    exec(source, namespace)
    client = application("joe@example.org").test_client()
    namespace["login_as"]()(client, email="joe@example.org")

    assert client.get("/").text == "joe@example.org"


@pytest.mark.usefixtures("identities")
def test_names_of_users_differ() -> None:
    minted = mint_users(application("ann@example.org", "ann@example.com"))

    assert list(minted.users) == ["ann", "ann_example_com"]


@pytest.mark.usefixtures("identities")
def test_a_column_that_may_hold_the_same_twice_tells_nobody() -> None:
    minted = mint_users(application("ann@example.org", is_unique=False))

    (user,) = minted.users.values()
    assert user.statement is not None
    assert "email" not in user.statement


def add_security(app: Flask) -> None:
    """Let users have tokens, as Flask-Security does: a view asks for the header alone."""
    user_class: Any = sys.modules[MODULE].User  # type: ignore[attr-defined]
    user_class.get_auth_token = lambda user: f"token of {user.email}"
    app.extensions["security"] = object()
    app.config["SECURITY_TOKEN_AUTHENTICATION_HEADER"] = "Authentication-Token"
    app.add_url_rule("/token", "token", lambda: request.headers.get("Authentication-Token", ""))


@pytest.mark.usefixtures("identities")
def test_a_user_of_flask_security_sends_a_token_as_well() -> None:
    app = application("joe@example.org")
    add_security(app)
    minted = mint_users(app)
    joe = minted.users["joe"]
    assert joe.login is not None
    client = app.test_client()
    joe.login(client)
    assert client.get("/token").text == "token of joe@example.org"
    assert app.test_client().get("/token").text == ""

    namespace: dict[str, Any] = {"pytest": SimpleNamespace(fixture=lambda function: function)}
    exec(minted.sources[0], namespace)
    client = app.test_client()
    namespace["login_as"]()(client, email="joe@example.org")
    assert client.get("/").text == "joe@example.org"
    assert client.get("/token").text == "token of joe@example.org"


@pytest.mark.usefixtures("identities")
def test_without_flask_security_a_user_sends_no_header() -> None:
    app = application("joe@example.org")
    add_security(app)
    del app.extensions["security"]
    (source,) = mint_users(app).sources

    assert "environ_base[" not in source
