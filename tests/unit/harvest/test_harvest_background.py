from __future__ import annotations

import math

import pytest

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
