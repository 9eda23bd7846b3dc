from __future__ import annotations

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.stopping import StallRule
from pytest_evosearch.search.stopping import evaluations_since_improvement
from pytest_evosearch.search.stopping import is_everything_covered
from pytest_evosearch.search.stopping import is_stalled

RULE = StallRule(minimum=3, share=0.5)


def archive_after(*scores: float) -> Archive[str]:
    archive: Archive[str] = Archive()
    for score in scores:
        archive.offer(Evaluation("a", {"one": score}, (1, 1)))
    return archive


def test_a_search_that_moves_is_not_stalled() -> None:
    archive = archive_after(0.1, 0.2, 0.3, 0.4, 0.5)
    assert evaluations_since_improvement(archive) == 0
    assert not is_stalled(archive, RULE)


def test_a_search_is_stalled_after_the_minimum() -> None:
    assert not is_stalled(archive_after(0.1, 0.1, 0.1), RULE)
    assert is_stalled(archive_after(0.1, 0.1, 0.1, 0.1), RULE)


def test_the_longer_it_moved_the_longer_it_may_wait() -> None:
    rising = [number / 100 for number in range(1, 51)]
    assert not is_stalled(archive_after(*rising, *[0.1] * 49), RULE)
    assert is_stalled(archive_after(*rising, *[0.1] * 50), RULE)


def test_a_fresh_search_is_not_stalled() -> None:
    assert not is_stalled(Archive())


def test_everything_covered_needs_expectations() -> None:
    archive = archive_after(1.0)
    assert is_everything_covered(archive, ["one"])
    assert not is_everything_covered(archive, ["one", "two"])
    assert not is_everything_covered(archive, [])


def test_a_reached_target_that_nobody_expected_counts_too() -> None:
    archive = archive_after(1.0)
    archive.offer(Evaluation("b", {"surprise": 0.5}, (1, 1)))
    assert not is_everything_covered(archive, ["one"])
