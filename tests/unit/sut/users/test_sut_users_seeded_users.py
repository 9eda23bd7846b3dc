"""Accounts that an application makes by itself are logged in through its own form."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from flask import Flask
from flask import flash
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.shortcuts.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.users.minted_users import mint_users
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections

FORM = """
<form action="/enter" method="post">
  <input name="nick"> <input name="secret" type="password"> <input name="stay" type="checkbox">
  <input type="submit">
</form>
"""
REGISTRATION = """
<form method="post">
  <input name="nick"> <input name="secret" type="password"> <input name="again" type="password">
</form>
"""


@pytest.fixture
def app(module):
    """An application with a session of its own, whose module says who is let in, and how."""
    app = Flask(module.__name__)
    app.secret_key = "key"
    module.page = FORM
    module.asked = []

    def enter():
        nick, secret = request.form["nick"], request.form["secret"]
        module.asked.append(nick)
        if not module.accepts(nick, secret):
            flash("wrong")
            return module.refusal()
        session["nick"] = nick
        return module.welcome(nick)

    def registration():
        return REGISTRATION

    def entrance():
        return module.page

    for view, path, methods in (
        (registration, "/account", ["GET"]),
        (entrance, "/", ["GET"]),
        (enter, "/enter", ["POST"]),
    ):
        view.__module__ = module.__name__
        app.add_url_rule(path, view_func=view, methods=methods)
    module.refusal = lambda: redirect("/")
    module.welcome = lambda _nick: redirect("/")
    module.accepts = lambda nick, secret: module.members.get(nick) == secret
    return app


@pytest.fixture
def guarded(app, module):
    """The application, where its form holds a token of the session, which `field` shows."""
    module.field = '<input id="t" name="csrf_token" type="hidden" value="{}">'
    entrance, enter = app.view_functions["entrance"], app.view_functions["enter"]

    def with_token():
        session.setdefault("csrf_token", f"t{len(module.asked)}.{id(session)}")
        field = module.field.format(session["csrf_token"])
        return entrance().replace("<input", f"{field}<input", 1)

    def checked():
        if request.form.get("csrf_token", "") != session.get("csrf_token"):
            return "The CSRF token is missing.", 400
        return enter()

    app.view_functions.update(entrance=with_token, enter=checked)
    return app


def test_whom_a_dict_of_users_names(app, module):
    module.members = {"ann": "cat", "bob": "dog", "old": "pbkdf2:sha256:1$x$y"}

    minted = mint_users(app)

    assert minted.description == "known ann, bob (a form)"
    (source,) = minted.sources
    assert 'client.post("/enter", data={"nick": name, "secret": password})' in source
    user = minted.users["ann"]
    assert (user.fixtures, user.statement) == (("log_in",), 'log_in(client, "ann", "cat")')
    client = app.test_client()
    assert user.login is not None
    user.login(client)
    with client.session_transaction() as stored:
        assert stored["nick"] == "ann"


def test_fixture_that_is_written_logs_in(app, module):
    module.members = {"ann": "cat"}
    (source,) = mint_users(app).sources
    namespace = {"pytest": pytest}
    exec(source.replace("@pytest.fixture\n", ""), namespace)
    client = app.test_client()

    namespace["log_in"]()(client, "ann", "cat")

    with client.session_transaction() as stored:
        assert stored["nick"] == "ann"


@pytest.mark.parametrize(
    "field",
    [
        '<input id="t" name="csrf_token" type="hidden" value="{}">',
        '<input type="hidden" value="{}" name="csrf_token">',
    ],
)
def test_a_token_against_forgery_is_read_from_the_form(guarded, module, field):
    module.members, module.field = {"ann": "cat"}, field
    minted = mint_users(guarded)
    (source,) = minted.sources
    namespace = {"pytest": pytest, "re": re}
    exec(source.replace("@pytest.fixture\n", ""), namespace)
    searching, written = guarded.test_client(), guarded.test_client()

    minted.users["ann"].login(searching)
    namespace["log_in"]()(written, "ann", "cat")

    for client in (searching, written):
        with client.session_transaction() as stored:
            assert stored["nick"] == "ann"


def test_a_token_that_no_short_expression_reads_lets_nobody_in(guarded, module):
    module.members = {"ann": "cat"}
    module.field = "<input type=hidden name=csrf_token value={}>"

    assert not mint_users(guarded).users


@pytest.mark.parametrize(
    ("form", "refusal", "welcome"),
    [
        (FORM, lambda: ("wrong", 401), lambda _nick: "hello"),
        (FORM, lambda: FORM, lambda _nick: "hello"),
        (FORM, lambda: redirect("/"), lambda nick: redirect(f"/home/{nick}")),
        (FORM.replace("enter", "http://other.example/enter"), None, None),
        (FORM.replace("post", "get"), None, None),
        (REGISTRATION, None, None),
        (FORM.replace('type="checkbox"', 'type="email"'), None, None),
    ],
)
def test_only_a_form_with_one_name_and_one_password_lets_in(app, module, form, refusal, welcome):
    module.members, module.page = {"ann": "cat"}, form
    if refusal is not None:
        module.refusal, module.welcome = refusal, welcome

    assert list(mint_users(app).users) == (["ann"] if refusal is not None else [])


def test_a_door_that_is_open_to_everybody_tells_nothing(app, module):
    module.members = {"ann": "cat"}
    module.accepts = lambda _nick, _secret: True

    assert not mint_users(app).users


def test_nobody_is_asked_where_nobody_is_known(app, module):
    assert not mint_users(app).users
    assert module.asked == []


def test_of_each_kind_somebody_is_taken(app, module):
    module.people = [
        *(
            {"nick": f"x{number}", "login": f"m{number}", "pwd": "p", "role": "member"}
            for number in range(30)
        ),
        {"login": "chief", "pwd": "p", "role": "admin"},
        {"login": "ghost", "pwd": "q", "role": "ghost"},
    ]
    module.accepts = lambda nick, secret: (
        secret == "p" and nick in {person["login"] for person in module.people}
    )

    assert list(mint_users(app).users) == ["m0", "chief", "m1"]


def test_a_hash_of_this_run_tells_the_password_of_a_row(app, module, tmp_path):
    path = tmp_path / "club.db"
    with watched_connections(), cheap_password_hashing():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("create table members (username text, email text, hash text)")
            row = ("ann", "ann@example.org", generate_password_hash("cat"))
            connection.execute("insert into members values (?, ?, ?)", row)
            connection.commit()
        app.config["DATABASE"] = str(path)
        module.accepts = lambda nick, secret: nick == row[1] and check_password_hash(row[2], secret)

        minted = mint_users(app)

    assert minted.users["ann"].statement == 'log_in(client, "ann@example.org", "cat")'


def test_the_source_tells_the_password_of_a_hash_of_an_earlier_run(app, module, tmp_path):
    (tmp_path / "seed.py").write_text('add("ann", generate_password_hash("cat"))\n')
    stored = generate_password_hash("cat", method="pbkdf2:sha256:1")
    module.people = [{"username": "ann", "password": stored}]
    path = tmp_path / "club.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table members (username text, password text)")
        connection.execute("insert into members values ('ann', ?)", (stored,))
        connection.commit()
    app.config["DATABASE"] = str(path)
    module.accepts = lambda _nick, secret: check_password_hash(stored, secret)

    with watched_connections():
        minted = mint_users(app, root=tmp_path)

    assert minted.users["ann"].statement == 'log_in(client, "ann", "cat")'
