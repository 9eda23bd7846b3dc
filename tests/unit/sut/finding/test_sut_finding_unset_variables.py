"""Of the variables that an application lacks some can do with a value that harms nobody."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

import pytest

from pytest_evosearch.sut.finding.unset_variables import IN_MEMORY
from pytest_evosearch.sut.finding.unset_variables import SECRET
from pytest_evosearch.sut.finding.unset_variables import noted_unset_variables
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

    assert stand_ins({name: ""}).get(name) == value


def test_a_database_that_sqlalchemy_does_not_ask_has_no_stand_in(monkeypatch):
    monkeypatch.delitem(sys.modules, "sqlalchemy", raising=False)

    assert stand_ins({"DATABASE_URL": ""}) == {}


LIBRARY = """
import os

def config(name, default=None, cast=str):
    os.environ.get("OF_THE_LIBRARY")
    return _find(name, default, cast)

def _find(name, default, cast):
    if name in os.environ:
        return cast(os.environ[name])
    raise LookupError(name) if default is None else TypeError("what comes after it")
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ('int(os.getenv("UNSET_ONE"))', {"UNSET_ONE": "1"}),
        ('float(os.environ["UNSET_ONE"])', {"UNSET_ONE": "1"}),
        ('config("UNSET_ONE", cast=int)', {"UNSET_ONE": "1"}),
        ('config("UNSET_ONE", None, int)', {"UNSET_ONE": "1"}),
        ('config("UNSET_ONE", default=None, cast=int)', {"UNSET_ONE": "1"}),
        ('config("UNSET_ONE", default=3, cast=int)', {}),
        ('config("UNSET_ONE", 3, int)', {}),
        ('config("UNSET_SECRET_KEY")', {"UNSET_SECRET_KEY": SECRET}),
        ('os.environ["UNSET_ONE"]', {}),
        ('int("UNSET_ONE" in os.environ) + os', {}),
    ],
)
def test_numbers_and_what_a_library_reads_for_the_project(tmp_path, monkeypatch, statement, found):
    library, project = tmp_path / "site-packages", tmp_path / "project"
    library.mkdir()
    project.mkdir()
    (library / "reading_library.py").write_text(LIBRARY)
    (project / "reading_application.py").write_text(
        f"import os\nfrom reading_library import config\nvalue = {statement}\n"
    )
    for folder in (library, project):
        monkeypatch.syspath_prepend(str(folder))
    for name in ("reading_library", "reading_application"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delenv("UNSET_ONE", raising=False)

    with noted_unset_variables(project) as names, pytest.raises((TypeError, LookupError)):
        importlib.import_module("reading_application")

    assert stand_ins(names) == found
    assert type(os.environ).__name__ == "_Environ"


def test_each_source_file_is_placed_once_however_often_it_reads_the_environment(
    tmp_path, monkeypatch
):
    placed = []

    def is_project_file(path, root):
        placed.append(path)
        return False

    monkeypatch.setattr(
        "pytest_evosearch.sut.finding.unset_variables.is_project_file", is_project_file
    )

    with noted_unset_variables(tmp_path):
        for number in range(100):
            os.environ.get(f"UNSET_{number}")

    assert placed
    assert len(placed) == len(set(placed))
