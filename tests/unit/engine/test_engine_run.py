from __future__ import annotations

import pytest

from pytest_evosearch.engine.run import harvest_seconds


@pytest.mark.parametrize(
    ("budget", "seconds"), [(5, 20), (45, 45), (60, 60), (300, 60), (1800, 270)]
)
def test_minimisation_takes_as_long_as_the_search_up_to_a_minute_and_a_share_of_long_ones(
    budget: float, seconds: float
) -> None:
    assert harvest_seconds(budget) == pytest.approx(seconds)
