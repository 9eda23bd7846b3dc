"""Minimising the tests of a search for units."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.units import unit_minimizing
from pytest_evosearch.engine.units.unit_minimizing import Minimizing
from pytest_evosearch.settings.time_plan import TimePlan


@pytest.fixture
def minimizing(monkeypatch: pytest.MonkeyPatch) -> Minimizing:
    """Return what minimises under a budget of evaluations; fresh tests are numbers."""

    def fresh(_problem: object, _rng: Random) -> Any:
        return iter(range(10))

    monkeypatch.setattr(unit_minimizing, "further_tests", fresh)
    plan = TimePlan(Budget.parse("300x").seconds)
    search: Any = SimpleNamespace(problem=None)
    fence: Any = None
    return Minimizing(search, (), Timetable(plan, 0.0), frozenset(), fence, 1, lambda _event: None)


def test_fresh_tests_are_tried_under_a_budget_of_evaluations(minimizing: Minimizing) -> None:
    assert list(islice(minimizing._further(), 20)) == list(range(10))
