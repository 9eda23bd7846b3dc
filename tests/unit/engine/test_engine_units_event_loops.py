"""How a project awaits coroutines, as its own tests show."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.engine.units.event_loops import loop_mark


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("pytest_asyncio", "anyio.pytest_plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    (tmp_path / "tests" / "evosearch_units").mkdir(parents=True)
    return tmp_path


def mark(project: Path) -> str:
    return loop_mark(project, project / "tests" / "evosearch_units")


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_the_mark_is_that_of_the_own_tests(project: Path, name: str) -> None:
    (project / "tests" / "test_mine.py").write_text(f"@pytest.mark.{name}\nasync def test(): ...")

    assert mark(project) == name


def test_a_mode_without_marks_is_enough(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")

    assert mark(project) == "asyncio"


def test_without_such_tests_or_a_plugin_there_is_none(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated = project / "tests" / "evosearch_units" / "test_things.py"
    generated.write_text("@pytest.mark.asyncio\nasync def test(): ...")
    assert mark(project) == ""

    (project / "test_mine.py").write_text("@pytest.mark.asyncio\nasync def test(): ...")
    assert mark(project) == "asyncio"
    monkeypatch.delitem(sys.modules, "pytest_asyncio")
    assert mark(project) == ""
