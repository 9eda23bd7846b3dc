from __future__ import annotations

import math

import pytest

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.harvest.background import SLOW_SECONDS
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

TEST = Individual((Call("GET /a", (), 1),))


@pytest.mark.parametrize(
    ("left", "takes", "pace"),
    [
        (60.0, 0.01, 0),
        (60.0, 2.5 * SLOW_SECONDS, 2),
        (math.inf, 2.5 * SLOW_SECONDS, 0),  # where no clock decides, all tests are alike
    ],
)
def test_slow_tests_are_told_apart_where_time_is_limited(
    left: float, takes: float, pace: int
) -> None:
    allowance = Allowance(lambda: left, 50, expected_seconds=lambda _test: takes)
    assert allowance.pace(TEST) == pace


def test_a_test_is_worth_its_faults_and_then_its_targets_for_each_second() -> None:
    slow, quick = TEST, Individual((Call("GET /b", (), 1),))
    seconds = {slow: 2.0, quick: 0.01}
    allowance = Allowance(lambda: 60.0, 50, expected_seconds=lambda test: seconds[test])
    few, many = ["line a"], [f"line {number}" for number in range(20)]
    fault = [fault_target("GET /a", "KeyError", "shop.py:7")]
    ordered = [(slow, few), (slow, many), (quick, few), (quick, many), (slow, fault)]
    assert sorted(ordered, key=lambda one: allowance.worth(*one)) == ordered
