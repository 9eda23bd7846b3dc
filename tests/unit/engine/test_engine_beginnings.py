from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.engine.beginnings import LEAST_SECONDS
from pytest_evosearch.engine.beginnings import MOST_PATIENCE_SECONDS
from pytest_evosearch.engine.beginnings import VARIABLE
from pytest_evosearch.engine.beginnings import Beginning
from pytest_evosearch.engine.beginnings import Dangers
from pytest_evosearch.engine.beginnings import patience
from pytest_evosearch.sut.sandbox.ceiling import Ceiling


class Start:
    """Stands in for `FreshStart`."""

    def __init__(self) -> None:
        self.given: tuple[Any, ...] = ()

    @contextmanager
    def possible(self, *given: Any):
        self.given = given
        yield True


def test_the_first_beginning_has_all_of_its_budget() -> None:
    beginning = Beginning.from_environment({})
    assert beginning.counted_from(7.0, Budget.parse("10s")) == 7.0


def test_the_next_one_knows_what_hung_and_counts_from_the_first() -> None:
    first, now = monotonic() - 20, monotonic()
    known = {"hung": ["GET /a"], "crashed": {"GET /b": "Aborted"}, "unknown": False}
    told = json.dumps({"began": first, **known})
    beginning = Beginning.from_environment({VARIABLE: told})
    assert beginning.dangers == Dangers(("GET /a",), {"GET /b": "Aborted"})
    assert beginning.counted_from(now, Budget.parse("60s")) == first
    assert beginning.counted_from(now, Budget.parse("500x")) == now


@pytest.mark.parametrize("budget", ["60s", "4s"])
def test_some_seconds_are_left_in_any_case(budget: str) -> None:
    now = monotonic()
    parsed = Budget.parse(budget)
    counted = Beginning(began=now - 1000).counted_from(now, parsed)
    assert parsed.seconds is not None
    assert counted + parsed.seconds - now == pytest.approx(LEAST_SECONDS, abs=1.0)


def test_what_has_hung_is_handed_on(tmp_path: Path) -> None:
    start = Start()
    beginning = Beginning(began=5.0, start=start)  # type: ignore[arg-type]
    ceiling = Ceiling(0, 0.0)
    dangers = Dangers(("GET /a",), {"GET /b": "Aborted"})
    with beginning.can_be_followed(9.0, tmp_path, dangers, ceiling, Budget.parse("10s")):
        note, variables, crashes = start.given
    assert note == tmp_path
    assert crashes
    handed_on = Beginning.from_environment(variables)
    assert (handed_on.began, handed_on.dangers) == (5.0, dangers)


@pytest.mark.parametrize(
    "dangers",
    [
        Dangers(unknown=True),
        Dangers(crashed=dict.fromkeys(("GET /a", "GET /b", "GET /c"), "Aborted")),
    ],
)
def test_a_run_that_crashes_everywhere_does_not_begin_anew_for_a_crash(
    tmp_path: Path, dangers: Dangers
) -> None:
    start = Start()
    beginning = Beginning(start=start)  # type: ignore[arg-type]
    ceiling = Ceiling(0, 0.0)
    with beginning.can_be_followed(9.0, tmp_path, dangers, ceiling, Budget.parse("10s")):
        assert start.given[2] is False


def test_nothing_is_prepared_where_nothing_is_kept() -> None:
    start = Start()
    beginning = Beginning(start=start)  # type: ignore[arg-type]
    with beginning.can_be_followed(9.0, None, Dangers(), Ceiling(0, 0.0), Budget.parse("10s")):
        assert not start.given


def test_long_searches_are_patient() -> None:
    seconds = [patience(Budget.parse(text)) for text in ("10s", "60s", "2h", "100x")]
    assert seconds == [*sorted(seconds[:3]), MOST_PATIENCE_SECONDS / 2]


def test_each_way_to_end_the_process_is_told_in_one_line() -> None:
    crashed = {"GET /c": "Segmentation fault at shop.py:7"}
    hung, died = Dangers(("GET /a", "GET /b"), crashed).lines()
    assert hung.startswith("GET /a, GET /b did not return from C")
    assert died == (
        "GET /c (Segmentation fault at shop.py:7) ended the process: "
        "the run has started again, and it runs in processes that can be ended"
    )
