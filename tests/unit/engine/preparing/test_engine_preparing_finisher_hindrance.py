from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.engine.preparing import finisher_hindrance
from pytest_evosearch.engine.preparing.finisher_hindrance import described
from pytest_evosearch.engine.preparing.finisher_hindrance import hindrance
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.checked import build_settings

ROOT = Path("/srv/project")


def settings_of(budget: str, *assignments: str) -> Settings:
    return build_settings({"budget": budget, "set": list(assignments)}, rootdir=ROOT, seed=1)


def ready(**changes: Any) -> Any:
    given = {"outside": False, "unrestored": "", "servers": False, "files": False, **changes}
    return SimpleNamespace(
        handle=SimpleNamespace(
            outside=given["outside"], unrestored=given["unrestored"], sandboxed=False
        ),
        state=SimpleNamespace(
            keeper=SimpleNamespace(uses_servers=given["servers"]), changes_files=given["files"]
        ),
    )


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finisher_hindrance, "processors", lambda: 2)
    monkeypatch.setattr(finisher_hindrance, "active_connections", lambda: None)


def test_a_budget_of_seconds_has_a_second_process() -> None:
    settings = settings_of("60s")

    assert hindrance(settings, ready()) == ""
    assert described(settings, ready()).startswith("a second process")


@pytest.mark.parametrize(
    ("budget", "assignment", "told"),
    [
        ("60s", "plan.beside=never", "plan.beside=never"),
        ("500x", "plan.beside=auto", "the budget is a number"),
        ("60s", "plan.circumstances=first", "plan.circumstances=first"),
        ("20s", "plan.beside=auto", "the budget is below 30s"),
    ],
)
def test_the_settings_may_be_in_the_way(budget: str, assignment: str, told: str) -> None:
    assert hindrance(settings_of(budget, assignment), ready()).startswith(told)


@pytest.mark.parametrize(
    "shared", [{"outside": True}, {"unrestored": "no reset"}, {"servers": True}, {"files": True}]
)
def test_what_both_processes_would_use_is_in_the_way(shared: dict[str, Any]) -> None:
    assert hindrance(settings_of("60s"), ready()) == ""
    assert described(settings_of("60s"), ready(**shared)).startswith("tests are minimised")


@pytest.mark.parametrize(
    ("path", "is_shared"), [(ROOT / "app.sqlite", True), (Path("/tmp/pytest-1/a.sqlite"), False)]
)
def test_a_file_of_sqlite_is_in_the_way_where_all_runs_open_it(
    monkeypatch: pytest.MonkeyPatch, path: Path, is_shared: bool
) -> None:
    connections = SimpleNamespace(files=[path])
    monkeypatch.setattr(finisher_hindrance, "active_connections", lambda: connections)
    monkeypatch.setattr("tempfile.tempdir", "/tmp")

    assert bool(hindrance(settings_of("60s"), ready())) == is_shared


def test_one_processor_is_the_search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finisher_hindrance, "processors", lambda: 1)

    assert hindrance(settings_of("60s"), ready()) == "there is one processor"


def test_a_start_that_takes_a_third_of_the_budget_is_not_made_twice() -> None:
    assert hindrance(settings_of("60s"), ready(), starting_seconds=19.0) == ""
    assert hindrance(settings_of("60s"), ready(), starting_seconds=21.0).startswith("the start")
    assert "the start takes 21s" in described(settings_of("60s"), ready(), starting_seconds=21.0)
