from __future__ import annotations

import pytest

from pytest_evosearch.search.feedback import LowestCounter
from pytest_evosearch.search.feedback import TargetQueue


@pytest.fixture
def sampling() -> LowestCounter:
    made = LowestCounter()
    for target in "abc":
        made.open(target)
    return made


def test_lowest_takes_turns_while_nothing_improves() -> None:
    sampling = LowestCounter()
    for target in "abc":
        sampling.open(target)
    assert [sampling.pick() for _ in range(7)] == list("abcabca")
    assert sampling.lowest_counter == 2


def test_lowest_stays_with_what_improves() -> None:
    sampling = LowestCounter()
    for target in "abc":
        sampling.open(target)
    picked = []
    for _ in range(9):
        picked.append(sampling.pick())
        if picked[-1] == "b":
            sampling.note_improvement("b")
    # The others are tried once, and as long as b improves it has the lowest counter.
    assert picked == list("abcbbbbbb")


def test_a_new_target_is_not_starved_by_stuck_ones() -> None:
    sampling = LowestCounter()
    sampling.open("stuck")
    for _ in range(50):
        sampling.pick()
    sampling.open("new")
    assert [sampling.pick() for _ in range(3)] == ["new", "new", "new"]


def test_closed_targets_are_never_picked(sampling: LowestCounter) -> None:
    first = sampling.pick()
    sampling.close(first)
    assert len(sampling) == 2
    assert first not in {sampling.pick() for _ in range(20)}


def test_every_open_target_gets_its_turn(sampling: LowestCounter) -> None:
    assert {sampling.pick() for _ in range(20)} == {"a", "b", "c"}


def test_nothing_open_has_waited_for_nothing(sampling: LowestCounter) -> None:
    for target in "abc":
        sampling.close(target)
    assert len(sampling) == 0
    assert sampling.lowest_counter == 0


def test_outdated_entries_of_a_queue_are_cleaned_up() -> None:
    queue = TargetQueue()
    queue.put("a", 1000)
    for priority in range(999, 0, -1):
        queue.put("a", priority)
    assert queue.first() == (1, "a")
    assert len(queue._entries) < 100
