"""Identities are found in what the application keeps: rows and dicts."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from flask import Flask

from pytest_evosearch.sut.users.accounts import known_identities
from pytest_evosearch.sut.users.minted_users import mint_users
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


@pytest.fixture
def app(module):
    """Its application, with one page."""
    app = Flask(module.__name__)

    def index():
        return "hello"

    index.__module__ = module.__name__
    app.add_url_rule("/", view_func=index)
    return app


@pytest.fixture
def database(app, tmp_path):
    """A database of the application with two users."""
    path = tmp_path / "shop.db"
    with watched_connections() as connections:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("create table users (key text, username text, secret text)")
            rows = [("k-1", "susan", "pbkdf2:a$b$c"), ("k-2", "david", "pbkdf2:x$y$z")]
            connection.executemany("insert into users values (?, ?, ?)", rows)
            connection.execute("create table prices (amount text)")
            connection.execute("insert into prices values ('12.50')")
            connection.commit()
        app.config["DATABASE"] = str(path)
        yield connections


def test_identities_are_what_rows_about_users_hold(app, database):
    """Any column may be the key."""
    identities = known_identities(app)

    assert {"k-1", "k-2", "susan"} <= set(identities)
    assert "12.50" not in identities


def test_identities_are_the_keys_of_a_dict_of_users(app, module):
    """The example of Flask-Login."""
    module.users = {"foo@bar.tld": {"password": "secret"}}
    module.colours = {"red": "#f00"}

    assert known_identities(app) == ["foo@bar.tld"]


def test_session_of_a_user_with_a_key_of_its_own(app, database):
    """UUIDs and names are no small numbers."""
    login = pytest.importorskip("flask_login")
    app.secret_key = "dev"

    class Member(login.UserMixin):
        id = "k-2"

    login.LoginManager(app).user_loader(lambda key: Member() if key == "k-2" else None)
    minted = mint_users(app)

    assert list(minted.users) == ["k_2"]
    assert minted.users["k_2"].statement == 'login_as(client, "k-2")'
