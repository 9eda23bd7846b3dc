"""Known values in rows: where a test finds the latest texts of a database."""

from __future__ import annotations

import sqlite3
import sys
from types import ModuleType
from types import SimpleNamespace
from typing import Any

import flask

from pytest_evosearch.engine.preparing import known_values
from pytest_evosearch.engine.preparing.known_values import KnownValues


def test_the_way_to_a_database_is_looked_for_once_and_its_rows_are_read_anew(
    monkeypatch: Any, tmp_path: Any
) -> None:
    module = ModuleType("letters_application")
    connection = sqlite3.connect(tmp_path / "letters.sqlite", isolation_level=None)
    connection.execute("CREATE TABLE letter (text)")
    connection.execute("INSERT INTO letter VALUES ('code 1234')")
    module.connection = connection  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    looks = []
    real = known_values.lasting_databases

    def lasting_databases(*given: Any) -> Any:
        looks.append(given)
        return real(*given)

    monkeypatch.setattr(known_values, "lasting_databases", lasting_databases)
    app = flask.Flask(module.__name__)
    app.config["DATABASE"] = str(tmp_path / "letters.sqlite")
    handle: Any = SimpleNamespace(app=app)
    files = [tmp_path / "letters.sqlite"]
    values = KnownValues(handle, tmp_path, (module,), lambda: files)

    first = list(values.row_places())
    connection.execute("INSERT INTO letter VALUES ('code 5678')")
    second = list(values.row_places())

    assert [place.value for place in first] == ["code 1234"]
    assert [place.value for place in second] == ["code 5678"]
    assert "letters_application.connection" in "\n".join(second[0].imports)
    assert len(looks) == 1
    connection.close()
