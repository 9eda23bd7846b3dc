"""Users are found in what the application keeps: rows, dicts, hashes made in this run."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from flask import Flask
from flask import request
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.shortcuts.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.users.accounts import known_identities
from pytest_evosearch.sut.users.minted_users import mint_users
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


@pytest.fixture
def app(module):
    """Its application, with a page that wants credentials."""
    app = Flask(module.__name__)

    def index():
        given = request.authorization
        if given is None or not module.accepts(given):
            return "who?", 401, {"WWW-Authenticate": f"{module.scheme} realm='shop'"}
        return "hello"

    index.__module__ = module.__name__
    app.add_url_rule("/", view_func=index)
    module.scheme, module.accepts = "Basic", lambda given: False
    return app


@pytest.fixture
def database(app, tmp_path):
    """A database of the application with two users; only the first password is from this run."""
    path = tmp_path / "shop.db"
    with watched_connections() as connections, cheap_password_hashing():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("create table users (key text, username text, secret text)")
            rows = [
                ("k-1", "susan", generate_password_hash("cat")),
                ("k-2", "david", "pbkdf2:x$y$z"),
            ]
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


def test_nobody_where_nothing_fits(app, module):
    """Passwords are not guessed."""
    module.users = {"john": "hello"}

    assert mint_users(app).users == {}


def test_asking_for_a_challenge_leaves_nothing(app, module, database):
    """``GET /a-set-up`` is a page, too: what it makes would be there in the search alone."""
    module.users, module.set_up = {"john": "hello"}, []

    def set_up():
        module.set_up.append("done")
        with closing(sqlite3.connect(app.config["DATABASE"])) as connection, connection:
            connection.execute("delete from users")
        return "done"

    app.add_url_rule("/a-set-up", view_func=set_up)
    mint_users(app, modules=[module])

    assert module.set_up == []
    with closing(sqlite3.connect(app.config["DATABASE"])) as connection:
        assert connection.execute("select count(*) from users").fetchone() == (2,)


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
