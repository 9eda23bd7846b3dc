from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from werkzeug.routing import Map
from werkzeug.routing import Rule

from pytest_evosearch.sut.shortcuts.verification_shortcuts import compiled_when_called
from pytest_evosearch.sut.shortcuts.verification_shortcuts import not_waiting_for_the_disk
from pytest_evosearch.write.verification.circumstances import CHEAPLY
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins

WAITS = 2
"""What ``PRAGMA synchronous`` says by default: FULL."""

RULES = ("/", "/users/<int:id>", "/<self>/<path:rest>")
VALUES = ({}, {"id": 3, "page": 2}, {"self": "a b", "rest": "c/d"})


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Rules whose builders were compiled, with what they do with unknown values."""
    found: list[tuple[str, bool]] = []
    original = Rule._compile_builder

    def note(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        found.append((rule.rule, append_unknown))
        return original(rule, append_unknown)

    monkeypatch.setattr(Rule, "_compile_builder", compiled_when_called(note))
    return found


def addresses_of(rules: tuple[str, ...]) -> list[str]:
    """Build an address with each of the rules."""
    adapter = Map([Rule(rule, endpoint=rule) for rule in rules]).bind("localhost")
    return [adapter.build(rule, values) for rule, values in zip(rules, VALUES, strict=True)]


def test_builders_that_are_called_build_the_same_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = addresses_of(RULES)
    monkeypatch.setattr(Rule, "_compile_builder", compiled_when_called(Rule._compile_builder))
    assert addresses_of(RULES) == usual
    assert "/users/3?page=2" in usual


def test_a_builder_is_compiled_when_it_is_called_first(compiled: list[tuple[str, bool]]) -> None:
    adapter = Map([Rule(rule, endpoint=rule) for rule in RULES]).bind("localhost")
    assert compiled == []
    assert adapter.match("/users/3") == ("/users/<int:id>", {"id": 3})
    assert compiled == []
    assert [adapter.build("/", {}), adapter.build("/", {})] == ["/", "/"]
    assert compiled == [("/", True)]


def settings_of(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return whether a connection waits for the disk, and how it keeps its journal."""
    with closing(connection):
        synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
        return synchronous, connection.execute("PRAGMA journal_mode").fetchone()[0]


def test_databases_of_the_run_and_of_the_project_do_not_wait(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    connect = not_waiting_for_the_disk(sqlite3.connect, str(tmp_path), str(project))
    assert settings_of(connect(tmp_path / "a.sqlite")) == (0, "memory")
    assert settings_of(connect(os.fsencode(tmp_path / "b.sqlite"))) == (0, "memory")
    assert settings_of(connect(str(project / "c.sqlite"))) == (0, "delete")
    uri = (tmp_path / "d.sqlite").as_uri()
    assert settings_of(connect(uri, uri=True)) == (WAITS, "delete")


@pytest.mark.parametrize("place", ["elsewhere.sqlite", ":memory:", ""])
def test_other_databases_are_as_they_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = str(tmp_path / "temporary")
    connect = not_waiting_for_the_disk(sqlite3.connect, folder, folder)
    assert settings_of(connect(place)) == settings_of(sqlite3.connect(place))


def test_a_write_ahead_log_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as before:
        before.execute("PRAGMA journal_mode = WAL")
    connect = not_waiting_for_the_disk(sqlite3.connect, str(tmp_path), "/nowhere")
    assert settings_of(connect(path)) == (0, "wal")


def test_a_locked_database_is_opened_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("BEGIN EXCLUSIVE")
        connect: Any = not_waiting_for_the_disk(sqlite3.connect, str(tmp_path), "/nowhere")
        with closing(connect(path, timeout=0)) as connection:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                connection.execute("SELECT * FROM t")
            other.rollback()
            assert connection.execute("SELECT * FROM t").fetchall() == []


SHOWS_SETTINGS = """
import sqlite3

from werkzeug.routing import Rule


def test_it(tmp_path):
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    waits = connection.execute("PRAGMA synchronous").fetchone()[0] != 0
    connection.close()
    assert (waits, Rule._compile_builder.__name__) == ({waits}, "{builder}")
"""


@pytest.mark.parametrize(
    ("environment", "waits", "builder"),
    [(CHEAPLY, False, "compile_later"), ({}, True, "_compile_builder")],
    ids=["asked", "not asked"],
)
def test_a_verification_run_is_spared_work_where_it_asks_for_it(
    tmp_path: Path, environment: dict[str, str], waits: bool, builder: str
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    text = SHOWS_SETTINGS.format(waits=waits, builder=builder)
    (project / "test_it.py").write_text(text)
    process = PytestProcess(project)
    entries, code, output = run_with_plugins(process, [project], 60, environment=environment)
    assert code == 0, output
    assert {"ended": "test_it.py::test_it"} in entries
