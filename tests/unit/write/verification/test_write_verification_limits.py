from __future__ import annotations

import math

import pytest

from pytest_evosearch.settings.phase_shares import MEASURING_RUNS
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.limits import seconds_variable


def test_without_a_limit_nothing_is_told_to_a_run() -> None:
    limits = Limits()

    assert limits.begin() == math.inf
    assert seconds_variable(limits.begin()) == {}
    assert limits.suffice_for(1e9)
    assert not limits.is_limited


def test_the_first_run_gets_most_of_the_time_and_some_when_there_is_none() -> None:
    left = [20.0]
    limits = Limits(lambda: left[0], first_run=5.0)
    with limits.first():
        assert limits.begin() == 10.0
        left[0] = -3.0
        assert limits.begin() == 5.0


def test_the_first_run_leaves_time_for_what_it_does_not_reach() -> None:
    left = [20.0]
    limits = Limits(lambda: left[0], first_run=30.0, catching_up=8.0)
    with limits.first():
        assert limits.begin() == 22.0
        left[0] = -2.0
        assert limits.seconds_of_rest == 8.0
        with limits.rest():
            assert limits.begin() == 8.0


@pytest.mark.parametrize("catching_up", [0.0, 8.0])
def test_what_the_first_run_does_not_reach_may_use_all_that_is_left(catching_up: float) -> None:
    left = [40.0]
    limits = Limits(lambda: left[0], first_run=5.0, catching_up=catching_up)
    with limits.first():
        assert limits.begin() == 20.0
        left[0] = 20.0
        assert limits.seconds_of_rest == 20.0


def test_the_first_run_is_left_out_where_catching_up_leaves_too_little() -> None:
    limits = Limits(lambda: 10.0, least=8.0, first_run=15.0, catching_up=8.0)
    with limits.first():
        assert limits.begin() == 0.0
        with limits.rest():
            assert limits.begin() == 15.0


def test_other_runs_share_what_is_left() -> None:
    limits = Limits(lambda: 30.0)
    limits.expect(4, width=2)

    assert [limits.begin() for _ in range(4)] == [15.0, 15.0, 30.0, 30.0]


def test_a_run_also_gets_what_would_be_too_little_for_the_later_ones() -> None:
    limits = Limits(lambda: 12.0, least=6.0)
    limits.expect(2, width=1)
    limits.least = 7.0

    assert limits.begin() == 12.0


def test_measuring_keeps_its_time_only_beside_a_sample_of_other_circumstances() -> None:
    left = [30.0]
    limits = Limits(lambda: left[0], least=6.0)
    with limits.first():
        limits.note(5.0)
    limits.note(9.0)  # not the unchanged run
    limits.expect(1, width=1)

    limits.keep_for_measuring()
    assert limits.begin() == 30.0 - 5.0 * MEASURING_RUNS
    left[0] = 13.0
    limits.expect(1, width=1)
    limits.keep_for_measuring()
    assert limits.begin() == 13.0
