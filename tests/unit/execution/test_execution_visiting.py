"""Visits before the search leave no trace in the probes and come back."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import pytest

from pytest_evosearch.execution.visiting import CarefulVisit
from pytest_evosearch.instrument import install
from pytest_evosearch.sut.clients.client import plain_visit
from pytest_evosearch.sut.state.written_files import WrittenFiles


@pytest.fixture
def greeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A module with probes, and their recording."""
    (tmp_path / "greeting_of_visits.py").write_text("def greet():\n    return 'hello'\n")
    monkeypatch.syspath_prepend(tmp_path)
    with install(["greeting_of_visits"], level=3, root=tmp_path) as recording:
        yield importlib.import_module("greeting_of_visits"), recording
    sys.modules.pop("greeting_of_visits", None)


def covered_by_loading(recording) -> set[str]:
    return {target for target in recording.background() if target.endswith(":2")}


def test_a_visit_does_not_count_as_loading(greeting) -> None:
    module, recording = greeting
    assert CarefulVisit(recording)(module.greet) == "hello"
    assert covered_by_loading(recording) == set()


def test_a_plain_call_would(greeting) -> None:
    module, recording = greeting
    assert plain_visit(module.greet) == "hello"
    assert covered_by_loading(recording) == {"line greeting_of_visits.py:2"}


def test_a_visit_is_cut_off() -> None:
    visit = CarefulVisit(None, 0.05)
    assert visit(time.sleep, 60) is None
    assert visit(sum, [1, 2]) == 3


def test_what_a_visit_raises_comes_out(greeting) -> None:
    _module, recording = greeting
    with pytest.raises(ValueError, match="invalid literal"):
        CarefulVisit(recording)(int, "x")


def test_what_a_visit_does_to_files_is_undone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    notes, made = project / "notes.txt", project / "made.txt"
    notes.write_text("mine")

    def tidy_up() -> str:
        notes.unlink()
        made.write_text("new")
        return "done"

    with WrittenFiles(project).installed():
        assert CarefulVisit(None)(tidy_up) == "done"
        assert (notes.read_text(), made.exists()) == ("mine", False)


def test_what_a_visit_asks_a_database_is_not_weighed(greeting) -> None:
    _module, recording = greeting
    seen = [CarefulVisit(recording)(lambda: recording.scales.test is not None)]
    recording.begin()
    seen.append(recording.run(lambda: recording.scales.test is not None))

    assert seen == [False, True]
