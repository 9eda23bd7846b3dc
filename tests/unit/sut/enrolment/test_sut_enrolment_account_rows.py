"""A row of a person is an account where nothing of the application makes one."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from flask import Flask
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import current_user

from pytest_evosearch.sut.enrolment.account_rows import MadeValue
from pytest_evosearch.sut.enrolment.account_rows import imports_of
from pytest_evosearch.sut.enrolment.account_rows import user_rows
from pytest_evosearch.sut.enrolment.account_rows import with_code
from pytest_evosearch.sut.enrolment.own_accounts import makers_of
from pytest_evosearch.sut.enrolment.own_accounts import proven_template

MODULE = "models_of_account_rows"


@pytest.fixture
def app(monkeypatch):
    sqlalchemy = pytest.importorskip("flask_sqlalchemy")
    app = Flask("rows")
    app.config.update(SECRET_KEY="k", SQLALCHEMY_DATABASE_URI="sqlite://")
    db = sqlalchemy.SQLAlchemy(app)
    module = ModuleType(MODULE)
    monkeypatch.setitem(sys.modules, MODULE, module)

    class Branch(db.Model):  # type: ignore[name-defined]
        __module__ = MODULE
        id = db.Column(db.Integer, primary_key=True)
        town = db.Column(db.String(3), nullable=False)

    class Rider(db.Model, UserMixin):  # type: ignore[name-defined]
        __module__ = MODULE
        id = db.Column(db.Integer, primary_key=True)
        call_sign = db.Column(db.String(40), nullable=False)
        secret = db.Column(db.String(40), nullable=False)
        duty = db.Column(db.String(20), default="courier")
        leads = db.Column(db.Boolean, default=False)
        branch_id = db.Column(db.Integer, db.ForeignKey("branch.id"), nullable=False)

    for kind in (Branch, Rider):
        kind.__qualname__ = kind.__name__
        setattr(module, kind.__name__, kind)
    vars(module).update(db=db)
    LoginManager(app).user_loader(lambda key: db.session.get(Rider, int(key)))
    app.add_url_rule("/", view_func=lambda: f"{current_user.call_sign} {current_user.leads}")
    with app.app_context():
        db.create_all()
        yield app
        db.session.remove()
        db.engine.dispose()


def row_of(app, *statements):
    [found] = user_rows(app, [sys.modules[MODULE]], statements)
    return found


def test_class_of_flask_login_is_a_row_after_those_it_refers_to(app):
    row = row_of(app)

    assert row.is_logged_in
    assert row.door == f"a row of {MODULE}.Rider"
    assert [model.table for model in row.models] == ["branch", "rider"]


def test_each_text_of_the_rows_is_another_one_and_defaults_stay(app):
    values = {one.name: one.filled("") for one in row_of(app).parameters}

    texts = [value for value in values.values() if isinstance(value, str)]
    assert len(set(texts)) == len(texts) == 4
    assert "inga" in texts
    assert values["duty"] == "courier"
    assert len(str(values[f"{MODULE}.Branch.town"])) == 3


def test_table_is_the_one_that_the_statement_names(app):
    row = row_of(app, "SELECT secret FROM rider WHERE call_sign = 'acorn'")

    assert not row.is_logged_in
    assert row.models[-1].table == "rider"
    assert list(user_rows(app, [sys.modules[MODULE]], ["SELECT * FROM bicycle"])) == []


def test_owner_of_a_row_is_logged_in_once_for_each_flag(app):
    proven = proven_template(app, [MODULE], lambda: None)
    assert proven is not None
    with app.app_context():
        sys.modules[MODULE].Rider.query.delete()
        sys.modules[MODULE].db.session.commit()

    plain, leader = makers_of(proven)
    assert leader.title == "leads"
    client = app.test_client()
    leader(client)

    name = proven.values["call_sign"]
    assert client.get("/").text == f"{name} True"
    row = leader.row(app)
    assert row is not None
    assert row.user(app, leader.values)[0].statement == 'login_as({client}, "1")'
    assert plain.values["leads"] is False


def test_hash_in_a_row_is_written_as_the_call_that_makes_it(app):
    row = row_of(app)
    values = {one.name: one.filled("") for one in row.parameters}
    values["secret"] = MadeValue("scrypt$1", 'hashed("Acorn-2041")', "from shop import hashed")

    placed = row.placed(values)
    assert placed[-1].values["secret"] == "scrypt$1"
    assert with_code(placed, values, str.upper)[-1].values["secret"] == 'HASHED("ACORN-2041")'
    assert imports_of(values.values()) == ["from shop import hashed"]


def test_no_rows_are_tried_where_none_are_wanted(app):
    assert proven_template(app, [MODULE], lambda: None, None) is None
