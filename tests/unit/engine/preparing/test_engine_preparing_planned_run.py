from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.preparing.planned_run import PlannedRun
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import build_settings


def run_of(budget: str) -> PlannedRun:
    values: dict[str, object] = {"budget": budget}
    return PlannedRun(
        build_settings(values, rootdir=Path("/"), seed=1), cast("Host", None), (), None
    )


@pytest.mark.parametrize(
    ("budget", "seconds", "told"),
    [
        ("60s", 55.0, True),
        ("60s", 12.0, True),
        ("60s", 9.0, False),  # people wait as long for a test run
        ("30m", 55.0, False),  # a small part of what they wait for anyway
        ("5000x", 55.0, False),  # a budget of evaluations never looks at the clock
    ],
)
def test_slow_start_is_told_where_it_is_much_of_the_budget(
    budget: str, seconds: float, told: bool
) -> None:
    before = Outcome(ExitReason.PLAN, 1, notices=("known",))

    notices = run_of(budget)._with_slow_start(before, seconds).notices

    assert notices[:1] == ("known",)
    assert [
        f"took {seconds:.0f} s of the time before the search" in one for one in notices[1:]
    ] == [True] * told
