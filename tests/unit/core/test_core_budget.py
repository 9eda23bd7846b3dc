from __future__ import annotations

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.errors import InvalidSetting


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), (" 1M5s ", 65)],
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert Budget.parse(text).seconds == seconds


def test_evaluations_are_read() -> None:
    budget = Budget.parse("5000x")
    assert (budget.seconds, budget.evaluations, str(budget)) == (None, 5000, "5000x")


@pytest.mark.parametrize("text", ["", "soon", "10", "5x3", "s", "1m1h", "-3s", "1.5m", "٣s"])
def test_other_texts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidSetting, match="30m"):
        Budget.parse(text)


@pytest.mark.parametrize("text", ["0s", "0x", "0h0m0s"])
def test_empty_budgets_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match="empty"):
        Budget.parse(text)


def test_an_evaluation_budget_never_looks_at_the_clock() -> None:
    ticks = iter([0.0])
    meter = BudgetMeter(Budget.parse("4x"), lambda: next(ticks))
    meter.count(3)
    assert (meter.share, meter.exhausted) == (0.75, False)
    meter.count()
    assert meter.exhausted


def test_a_duration_is_spent_by_the_clock() -> None:
    ticks = iter([10.0, 25.0, 40.0])
    meter = BudgetMeter(Budget.parse("30s"), lambda: next(ticks))
    assert meter.share == 0.5
    assert meter.exhausted


def test_islands_share_evaluations_but_not_time() -> None:
    assert Budget.parse("100x").divided(3).evaluations == 34
    assert Budget.parse("30s").divided(3) == Budget.parse("30s")


def test_what_comes_before_a_restart_is_not_measured() -> None:
    ticks = iter([10.0, 50.0, 65.0])
    meter = BudgetMeter(Budget.parse("30s"), lambda: next(ticks))
    meter.restart()
    assert meter.share == 0.5


@pytest.mark.parametrize("text", ["8761h", "1000000001x", "9" * 30 + "h"])
def test_budgets_that_no_search_can_spend_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match="is too large: write at most 8760h or 1000000000x"):
        Budget.parse(text)


@pytest.mark.parametrize("text", ["9" * 5000 + "x", "9" * 5000 + "h"])
def test_a_budget_without_end_is_not_repeated(text: str) -> None:
    with pytest.raises(InvalidSetting, match="is not a budget") as raised:
        Budget.parse(text)
    assert len(str(raised.value)) < 250
