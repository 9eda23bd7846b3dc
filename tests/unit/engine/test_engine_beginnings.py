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
from pytest_evosearch.engine.beginnings import patience
from pytest_evosearch.engine.beginnings import told_of_hanging
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
    told = json.dumps({"began": first, "hung": ["GET /a"]})
    beginning = Beginning.from_environment({VARIABLE: told})
    assert tuple(beginning.hung) == ("GET /a",)
    assert beginning.counted_from(now, Budget.parse("60s")) == first
    assert beginning.counted_from(now, Budget.parse("500x")) == now


@pytest.mark.parametrize(("budget", "seconds"), [("60s", LEAST_SECONDS), ("4s", 1.0)])
def test_some_seconds_are_left_in_any_case(budget: str, seconds: float) -> None:
    now = monotonic()
    parsed = Budget.parse(budget)
    counted = Beginning(began=now - 1000).counted_from(now, parsed)
    assert parsed.seconds is not None
    assert counted + parsed.seconds - now == pytest.approx(seconds, abs=1.0)


def test_what_has_hung_is_handed_on(tmp_path: Path) -> None:
    start = Start()
    beginning = Beginning(began=5.0, start=start)  # type: ignore[arg-type]
    ceiling = Ceiling(0, 0.0)
    with beginning.can_be_followed(9.0, tmp_path, ["GET /a"], ceiling, Budget.parse("10s")):
        note, variables = start.given
    assert note == tmp_path
    assert json.loads(variables[VARIABLE]) == {"began": 5.0, "hung": ["GET /a"]}


def test_nothing_is_prepared_where_nothing_is_kept() -> None:
    start = Start()
    beginning = Beginning(start=start)  # type: ignore[arg-type]
    with beginning.can_be_followed(9.0, None, [], Ceiling(0, 0.0), Budget.parse("10s")):
        assert not start.given


def test_long_searches_are_patient() -> None:
    seconds = [patience(Budget.parse(text)) for text in ("10s", "60s", "2h", "100x")]
    assert seconds == [*sorted(seconds[:3]), MOST_PATIENCE_SECONDS / 2]


def test_endpoints_that_hang_are_told_in_one_line() -> None:
    assert told_of_hanging(["GET /a", "GET /b"]).startswith("GET /a, GET /b did not come back")
