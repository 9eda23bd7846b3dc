"""How fast an application is, as its latest executions tell."""

from __future__ import annotations

import pytest

from pytest_evosearch.settings.pace import LATEST_EXECUTIONS
from pytest_evosearch.settings.pace import MOST_MEDIANS
from pytest_evosearch.settings.pace import Durations


def durations_of(*seconds: float) -> Durations:
    durations = Durations()
    for one in seconds:
        durations.note(one)
    return durations


def test_nothing_is_usual_before_the_first_execution() -> None:
    assert Durations().usual == 0.0


def test_slow_first_calls_do_not_count_for_ever() -> None:
    early = durations_of(1.0, 0.8, 0.02)
    later = durations_of(1.0, 0.8, *([0.02] * LATEST_EXECUTIONS))

    assert early.usual == pytest.approx(1.82 / 3)
    assert later.usual == pytest.approx(0.02)


def test_a_busy_machine_shows_at_once() -> None:
    idle = durations_of(*([0.02] * 1000))
    busy = durations_of(*([0.02] * 1000), *([0.06] * LATEST_EXECUTIONS))

    assert busy.usual == pytest.approx(3 * idle.usual)


def test_a_call_that_hangs_counts_as_a_slow_one() -> None:
    hung = durations_of(*([0.02] * 99), 10.0)

    assert hung.usual == pytest.approx((99 + MOST_MEDIANS) * 0.02 / 100)
