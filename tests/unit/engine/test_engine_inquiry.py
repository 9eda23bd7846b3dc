from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.trial import covered_and_faults
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

MODULE = "notebook_with_forms"

SUBMITTED = """
import flask
from werkzeug.datastructures import MultiDict

def submitted():
    "Return what was submitted as libraries of forms do."
    request = flask.request
    return request.form or MultiDict(request.get_json() if request.is_json else ())
"""

ONE_FORM = """
def create_app():
    app = flask.Flask("notes")

    @app.post("/notes")
    def add():
        flask.request.form.get("title")
        submitted()
        return "added"

    return app
"""

FORM_FOR_ALL = """
def add():
    flask.request.form.get("title")
    return "added"

def create_app():
    app = flask.Flask("notes")

    @app.before_request
    def make_form():
        submitted()

    for number in range(9):
        app.add_url_rule(f"/notes{number}", f"add{number}", add, methods=["POST"])
    return app
"""

SQL = """
import sqlite3
from contextlib import closing

def create_app():
    app = flask.Flask("notes")

    @app.get("/notes/<int:number>")
    def show(number):
        with closing(sqlite3.connect(":memory:")) as database:
            return str(database.execute("SELECT ?", [number]).fetchone())

    return app
"""

SHOW = """
    def show_{name}(number):
        with closing(sqlite3.connect(":memory:")) as database:
            return str(database.execute("SELECT ?", [number]).fetchone())

    app.add_url_rule("/{name}/<int:number>", view_func=show_{name})
"""

SQL_EVERYWHERE = f"""
import sqlite3
from contextlib import closing

def create_app():
    app = flask.Flask("notes")
{"".join(SHOW.format(name=name) for name in ("notes", "pages", "users", "posts", "forums"))}
    return app
"""

FORM = """
    @app.post("/{name}")
    def add_{name}():
        return " ".join(flask.request.form.get(field, "") for field in ("title", "text", "author"))
"""

SQL_BESIDE_FORMS = f"""
import sqlite3
from contextlib import closing

def create_app():
    app = flask.Flask("notes")

    @app.get("/search")
    def search():
        with closing(sqlite3.connect(":memory:")) as database:
            word = flask.request.args.get("word", "")
            return str(database.execute("SELECT '" + word + "'").fetchone())
{"".join(FORM.format(name=name) for name in ("notes", "pages", "users", "posts", "forums"))}
    return app
"""


@pytest.fixture
def find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Fault]]]:
    """Search an application with few evaluations, then ask; return the crashes."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def search(source: str, code: str = "crash", evaluations: int = 200) -> list[Fault]:
        (tmp_path / f"{MODULE}.py").write_text(SUBMITTED + source)
        _covered, found = covered_and_faults(
            lambda: importlib.import_module(MODULE).create_app(),
            packages=[MODULE],
            evaluations=evaluations,
            seed=1,
            root=tmp_path,
        )
        return [fault for fault in found if fault.code == code]

    yield search
    sys.modules.pop(MODULE, None)


def test_forms_get_json_that_is_no_object(find: Callable[..., list[Fault]]) -> None:
    assert {fault.kind for fault in find(ONE_FORM)} == {"TypeError", "ValueError"}


@pytest.mark.slow("searches run in the process")
def test_what_crashes_before_every_handler_is_one_fault(
    find: Callable[..., list[Fault]],
) -> None:
    assert [fault.kind for fault in find(FORM_FOR_ALL)] == ["TypeError", "ValueError"]


def test_identifiers_are_too_large_for_databases(find: Callable[..., list[Fault]]) -> None:
    assert [fault.kind for fault in find(SQL)] == ["OverflowError"]


@pytest.mark.slow("searches run in the process")
def test_that_no_database_holds_such_a_number_is_told_of_every_endpoint(
    find: Callable[..., list[Fault]],
) -> None:
    assert len(find(SQL_EVERYWHERE)) == 5


@pytest.mark.slow("searches run in the process")
def test_little_time_suffices_for_an_attack_where_a_statement_runs(
    find: Callable[..., list[Fault]],
) -> None:
    assert find(SQL_BESIDE_FORMS, "sql-injection", evaluations=60)
