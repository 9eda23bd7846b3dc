"""The units that are searched after the requests."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.units.added_units import RunWithUnits
from pytest_evosearch.engine.units.added_units import units_in
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.settings.checked import ApplicationSettings


def test_only_what_was_searched_is_looked_at_and_no_other_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "walled_orchard"
    package.mkdir()
    (package / "__init__.py").write_text("def plant(tree): return tree\n")
    (package / "resetting.py").write_text("def reset(): return 'everything is gone'\n")
    monkeypatch.syspath_prepend(tmp_path)

    found = [one.key for one in units_in(["walled_orchard"], ApplicationSettings())]

    assert found == ["walled_orchard:plant"]
    assert "walled_orchard.resetting" not in sys.modules
    whole = {one.key for one in units_of(["walled_orchard"])}
    assert whole == {"walled_orchard:plant", "walled_orchard.resetting:reset"}


def planned(budget: str, loading: float, now: float) -> Budget | str:
    """Return what units get in a run whose requests have ended at the moment `now`."""
    whole = RunWithUnits.__new__(RunWithUnits)
    whole._whole = SimpleNamespace(budget=Budget.parse(budget))  # type: ignore[assignment]
    timetable = SimpleNamespace(pace=SimpleNamespace(loading=loading), now=now)
    return whole._budget_of_units(timetable)  # type: ignore[arg-type]


def test_units_get_their_share_of_the_budget_and_no_more_than_is_left() -> None:
    assert planned("1000x", 30.0, 500.0) == Budget(evaluations=200)
    assert planned("100s", 2.0, 90.0) == Budget(seconds=20.0)
    assert planned("100s", 2.0, 120.0) == Budget(seconds=13.0)


@pytest.mark.parametrize(("loading", "now"), [(12.0, 90.0), (2.0, 131.0), (0.1, 200.0)])
def test_units_are_left_where_their_tests_cannot_be_run(loading: float, now: float) -> None:
    told = planned("100s", loading, now)

    assert isinstance(told, str)
    assert told.startswith("no tests of units: ")
