"""An application makes accounts by its commands and models."""

from __future__ import annotations

import pickle
import sys
from types import ModuleType

import click
import pytest
from flask import Flask
from flask.cli import AppGroup

from pytest_evosearch.sut.enrolment.own_accounts import makers_of
from pytest_evosearch.sut.enrolment.own_accounts import proven_template
from pytest_evosearch.sut.enrolment.own_accounts import templates


@pytest.fixture
def app():
    app = Flask("accounts")
    app.made = []
    return app


def proven(app, modules=()):
    return proven_template(app, modules, lambda: None)


def test_command_is_run_with_arguments_from_its_signature_once_for_each_role(app):
    @app.cli.command("create-staff")
    @click.argument("login")
    @click.option("--role", type=click.Choice(["clerk", "boss"]), default="clerk")
    @click.password_option()
    def create_staff(login, role, password):
        app.made.append((login, role, password))

    found = proven(app)
    assert found is not None
    assert app.made == [("inga", "clerk", "Cedar-2041")]
    makers = makers_of(found)
    assert [maker.title for maker in makers] == ["clerk", "boss"]
    makers[1].deed(app).run(app=app)
    assert app.made[-1] == ("inga", "boss", "Cedar-2041")


def test_command_that_wants_a_longer_password_is_given_one(app):
    @app.cli.command("add-user")
    @click.option("--email", required=True)
    @click.option("--password", required=True)
    def add_user(email, password):
        if len(password) < 12:
            raise click.BadParameter("too short")
        app.made.append((email, password))

    assert proven(app) is not None
    assert app.made == [("inga@example.org", "Cedar-2041-juniper")]


def test_questions_of_a_running_command_are_answered(app):
    user = AppGroup("user")

    @user.command("add")
    def add():
        name = click.prompt("User name")
        app.made.append((name, click.prompt("Password", hide_input=True, confirmation_prompt=True)))

    app.cli.add_command(user)
    found = proven(app)
    assert found is not None
    assert found.door == "flask user add"
    app.made.clear()
    makers_of(found)[0].deed(app).run(app=app)
    assert app.made == [("inga", "Cedar-2041")]


@pytest.mark.parametrize("name", ["reset-password", "delete-user", "send-mails"])
def test_commands_that_make_no_one_are_left_alone(app, name):
    @app.cli.command(name)
    @click.option("--password" if "password" in name else "--user", required=True)
    def command(**_values):
        app.made.append(name)

    assert list(templates(app)) == []


def test_command_of_the_terminal_is_never_waited_for(app):
    @app.cli.command("create-admin")
    def create_admin():
        import getpass

        app.made.append(getpass.getpass())

    assert proven(app) is None
    assert app.made == []


def test_makers_travel_to_other_processes(app):
    @app.cli.command("create-keeper")
    @click.argument("username")
    @click.password_option()
    def create(username, password):
        app.made.append((username, password))

    found = proven(app)
    assert found is not None
    [maker] = makers_of(found)
    maker(app.test_client())
    again = pickle.loads(pickle.dumps(maker))
    again(app.test_client())
    assert again == maker
    assert app.made[-1] == app.made[-2]


def test_model_sets_its_own_password(app):
    sqlalchemy = pytest.importorskip("flask_sqlalchemy")
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
    db = sqlalchemy.SQLAlchemy(app)
    module = ModuleType("models_of_accounts")
    sys.modules[module.__name__] = module
    vars(module).update(db=db)

    class Person(db.Model):  # type: ignore[name-defined]
        __module__ = module.__name__
        id = db.Column(db.Integer, primary_key=True)
        email = db.Column(db.String(80), unique=True, nullable=False)
        hashed = db.Column(db.String(80), nullable=False)
        is_admin = db.Column(db.Boolean, default=False)
        active = db.Column(db.Boolean, default=True)

        def set_password(self, password):
            self.hashed = password[::-1]

    Person.__qualname__ = "Person"
    vars(module)["Person"] = Person
    try:
        with app.app_context():
            db.create_all()
            found = proven(app)
            assert found is not None
            row = db.session.query(Person).one()
            assert (row.email, row.hashed) == ("inga@example.org", "1402-radeC")
            db.session.delete(row)
            db.session.commit()
        makers = makers_of(found)
        assert [maker.title for maker in makers] == ["inga", "admin"]
        makers[1].deed(app).run(app=app)
        with app.app_context():
            assert db.session.query(Person).one().is_admin
    finally:
        del sys.modules[module.__name__]
