"""Known values in rows: where a test finds the latest texts of a database."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from types import ModuleType
from types import SimpleNamespace
from typing import Any

import flask
import pytest

from pytest_evosearch.engine.preparing.known_values import KnownValues
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.sut.users.stored_rows import StoredRow

OLD, NEW = "d41d8cd98f00b204", "0cc175b9c0f1b6a8"


@pytest.mark.parametrize("is_named", [True, False], ids=["named", "nameless"])
def test_value_is_written_if_a_test_can_open_the_database_and_else_withheld_with_the_reason(
    is_named: bool, monkeypatch: Any, tmp_path: Any
) -> None:
    file, module = tmp_path / "crew.sqlite", ModuleType("letters_application")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE crew (nick, digest)")
        connection.execute("INSERT INTO crew VALUES ('inga', ?)", (OLD,))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    if is_named:
        module.PATH = str(file)  # type: ignore[attr-defined]
    app = flask.Flask(module.__name__)
    support = SimpleNamespace(recipe=None, client_fixture="client")
    handle: Any = SimpleNamespace(app=app, support=support)
    values = KnownValues(handle, tmp_path / "project", (module,), lambda: [file])
    values._rows[OLD] = StoredRow("crew", "digest", "nick", "inga")

    put = values.put([Stored(OLD, NEW)], ("inga",), is_final=True)

    assert put is not None
    assert put.statements == (f'known_value("inga", "{NEW}")',)
    put.actions[0](SimpleNamespace(application=app))
    with closing(sqlite3.connect(file)) as connection:
        (digest,) = connection.execute("SELECT digest FROM crew").fetchone()
    assert (digest, bool(values.sources)) == ((NEW, True) if is_named else (OLD, False))
    expected = "" if is_named else "nothing that a test can read opens the database of crew.digest"
    assert put.withheld.partition(":")[0] == expected
