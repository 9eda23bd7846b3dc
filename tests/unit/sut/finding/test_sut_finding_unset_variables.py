"""Of the variables that an application lacks some can do with a value that harms nobody."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from pytest_evosearch.sut.finding.unset_variables import IN_MEMORY
from pytest_evosearch.sut.finding.unset_variables import SECRET
from pytest_evosearch.sut.finding.unset_variables import stand_ins


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", IN_MEMORY),
        ("SQLALCHEMY_DATABASE_URI", IN_MEMORY),
        ("SQLALCHEMY_DATABASE_TESTING_URI", IN_MEMORY),
        ("DEV_DB_URL", IN_MEMORY),
        ("POSTGRES_URL", IN_MEMORY),
        ("REDIS_URL", None),
        ("DB_HOST", None),
        ("SECRET_KEY", SECRET),
        ("FLASK_SECRET", SECRET),
        ("JWT_SECRET_KEY", SECRET),
        ("SECURITY_PASSWORD_SALT", SECRET),
        ("AWS_SECRET_ACCESS_KEY", None),
        ("API_KEY", None),
    ],
)
def test_databases_and_secrets(monkeypatch, name, value):
    monkeypatch.setitem(sys.modules, "sqlalchemy", ModuleType("sqlalchemy"))

    assert stand_ins([name]).get(name) == value


def test_a_database_that_sqlalchemy_does_not_ask_has_no_stand_in(monkeypatch):
    monkeypatch.delitem(sys.modules, "sqlalchemy", raising=False)

    assert stand_ins(["DATABASE_URL"]) == {}
