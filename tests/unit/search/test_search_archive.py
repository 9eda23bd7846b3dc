from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive


def evaluation(
    name: str, scores: Mapping[str, float], size: tuple[int, int] = (1, 1)
) -> Evaluation[str]:
    return Evaluation(name, scores, size, observation=["a long response"])


@pytest.fixture
def archive() -> Archive[str]:
    return Archive()


def test_offer_returns_what_is_newly_covered(archive: Archive[str]) -> None:
    assert archive.offer(evaluation("a", {"one": 1.0, "two": 0.5})) == ["one"]
    assert archive.offer(evaluation("b", {"one": 1.0, "two": 1.0})) == ["two"]
    assert archive.is_covered("two")
    assert not archive.is_covered("three")


def test_a_shorter_test_replaces_the_covering_one(archive: Archive[str]) -> None:
    archive.offer(evaluation("long", {"one": 1.0}, (3, 9)))
    archive.offer(evaluation("longer", {"one": 1.0}, (4, 1)))
    assert archive.covered["one"].individual == "long"
    archive.offer(evaluation("short", {"one": 1.0}, (3, 8)))
    assert archive.covered["one"].individual == "short"


def test_equal_size_keeps_the_first(archive: Archive[str]) -> None:
    archive.offer(evaluation("first", {"one": 1.0}))
    archive.offer(evaluation("second", {"one": 1.0}))
    assert archive.covered["one"].individual == "first"


def test_a_covered_target_ignores_worse_scores(archive: Archive[str]) -> None:
    archive.offer(evaluation("a", {"one": 1.0}, (2, 2)))
    archive.offer(evaluation("b", {"one": 0.9}, (1, 1)))
    assert archive.covered["one"].individual == "a"
    assert "one" not in archive.best


def test_open_targets_keep_the_closest_test(archive: Archive[str]) -> None:
    archive.offer(evaluation("far", {"one": 0.2}))
    archive.offer(evaluation("near", {"one": 0.7}, (5, 5)))
    archive.offer(evaluation("farther", {"one": 0.1}))
    closest = archive.best_evaluation("one")
    assert closest is not None
    assert closest.individual == "near"
    assert archive.best == {"one": 0.7}


def test_equally_close_and_shorter_replaces_without_counting_as_improvement(
    archive: Archive[str],
) -> None:
    archive.offer(evaluation("long", {"one": 0.5}, (5, 5)))
    archive.offer(evaluation("short", {"one": 0.5}, (1, 1)))
    closest = archive.best_evaluation("one")
    assert closest is not None
    assert closest.individual == "short"
    assert archive.last_improvement == 1
    assert archive.offers == 2


def test_open_targets_are_in_order_of_appearance_and_leave_when_covered(
    archive: Archive[str],
) -> None:
    archive.offer(evaluation("a", {"z": 0.5, "y": 0.5, "x": 0.5}))
    archive.offer(evaluation("b", {"y": 1.0, "z": 0.9}))
    assert archive.open_targets() == ["z", "x"]


def test_known_targets_are_registered_or_reached() -> None:
    archive: Archive[str] = Archive(["never"])
    archive.register(["never", "later"])
    archive.offer(evaluation("a", {"hit": 1.0, "near": 0.5}))
    assert list(archive.known) == ["never", "later", "hit", "near"]
    assert archive.uncovered_targets() == ["never", "later", "near"]
    assert archive.best_evaluation("never") is None


def test_a_score_of_zero_reaches_nothing(archive: Archive[str]) -> None:
    archive.offer(evaluation("a", {"one": 0.0}))
    assert archive.open_targets() == []
    assert archive.last_improvement == 0


def test_responses_are_not_kept_and_tests_are_shared(archive: Archive[str]) -> None:
    archive.offer(evaluation("a", {"one": 1.0, "two": 1.0}))
    archive.offer(evaluation("b", {"three": 1.0}))
    assert archive.covered["one"].observation is None
    assert [kept.individual for kept in archive.tests()] == ["a", "b"]


def test_what_is_forgotten_is_open_again(archive: Archive[str]) -> None:
    archive.offer(evaluation("a", {"one": 1.0}))
    archive.forget(["one", "two"])
    assert not archive.is_covered("one")
    assert archive.offer(evaluation("b", {"one": 1.0}, (9, 9))) == ["one"]
