from __future__ import annotations

import pytest

from pytest_evosearch.search.schedule import Schedule


@pytest.mark.parametrize(
    ("progress", "expected"),
    [(0.0, 0.8), (0.4, 0.4), (0.8, 0.0), (0.9, 0.0), (1.5, 0.0), (-1.0, 0.8)],
)
def test_a_schedule_moves_linearly_and_then_stays(progress: float, expected: float) -> None:
    assert Schedule(0.8, 0.0, focus=0.8).value(progress) == pytest.approx(expected)


def test_whole_numbers_move_both_ways() -> None:
    shrinking, growing = Schedule(10, 1), Schedule(1, 10)
    assert [shrinking.whole(share / 10) for share in (0, 4, 8, 10)] == [10, 6, 1, 1]
    assert [growing.whole(share / 10) for share in (0, 4, 8, 10)] == [1, 6, 10, 10]


def test_no_exploration_begins_with_the_end() -> None:
    assert Schedule(0.8, 0.0, focus=0.0).value(0.0) == 0.0
