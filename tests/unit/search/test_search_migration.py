from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.migration import Emigrant
from pytest_evosearch.search.migration import Migration


class Island:
    """An archive and what moves to and from it."""

    def __init__(self) -> None:
        self.archive: Archive[str] = Archive()
        self.migration = Migration(self.archive)

    def offer(self, individual: str, **scores: float) -> None:
        self.archive.offer(Evaluation(individual, scores, (1, len(individual))))


def test_what_covers_and_what_comes_closer_travels_once() -> None:
    island = Island()
    island.offer("a", line=1.0, branch=0.5)
    (emigrant,) = island.migration.emigrants()
    assert emigrant.scores == {"line": 1.0, "branch": 0.5}
    assert island.migration.emigrants() == []

    island.offer("b", branch=0.75)
    (emigrant,) = island.migration.emigrants()
    assert emigrant.scores == {"branch": 0.75}


def test_a_shorter_test_for_the_same_does_not_travel() -> None:
    island = Island()
    island.offer("long", line=1.0)
    island.migration.emigrants()
    island.offer("l", line=1.0)
    assert island.migration.emigrants() == []


def test_only_tests_that_are_ahead_are_taken_in() -> None:
    here, there = Island(), Island()
    here.offer("mine", line=1.0, branch=0.75)
    there.offer("worse", line=1.0, branch=0.5)
    there.offer("better", other=0.25)
    assert list(here.migration.immigrants(there.migration.emigrants())) == ["better"]


def test_a_test_is_looked_at_when_the_one_before_was_executed() -> None:
    here, there = Island(), Island()
    there.offer("first", line=1.0)
    there.offer("second", other=1.0)
    taken = []
    for individual in here.migration.immigrants(there.migration.emigrants()):
        taken.append(individual)
        here.offer(individual, line=1.0, other=1.0)
    assert taken == ["first"]


def test_what_others_told_is_not_told_again() -> None:
    here, there = Island(), Island()
    there.offer("theirs", line=1.0)
    for individual in here.migration.immigrants(there.migration.emigrants()):
        here.offer(individual, line=1.0)
    here.offer("mine", other=1.0)
    (emigrant,) = here.migration.emigrants()
    assert emigrant.scores == {"other": 1.0}


def test_what_cannot_be_pickled_stays_and_what_cannot_be_read_is_left_out() -> None:
    archive: Archive[object] = Archive()
    archive.offer(Evaluation(lambda: None, {"line": 1.0}, (1, 1)))
    archive.offer(Evaluation("plain", {"other": 1.0}, (1, 1)))
    travelling = Migration(archive).emigrants()
    assert [list(emigrant.scores) for emigrant in travelling] == [["other"]]
    broken = Emigrant(b"no pickle", {"third": 1.0})
    assert list(Island().migration.immigrants([broken, *travelling])) == ["plain"]


SCORES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from((0.25, 0.5, 1.0)), min_size=1)


@given(st.lists(SCORES, max_size=8), st.lists(SCORES, max_size=8))
def test_after_one_exchange_both_are_as_good_as_the_better(
    ours: list[dict[str, float]], theirs: list[dict[str, float]]
) -> None:
    islands = (Island(), Island())
    known = {}
    for number, (island, tests) in enumerate(zip(islands, (ours, theirs), strict=True)):
        for place, scores in enumerate(tests):
            known[f"{number}-{place}"] = scores
            island.offer(f"{number}-{place}", **scores)
    messages = [list(island.migration.emigrants()) for island in islands]
    for island, message in zip(islands, reversed(messages), strict=True):
        for individual in island.migration.immigrants(message):
            island.offer(individual, **known[individual])
    assert set(islands[0].archive.covered) == set(islands[1].archive.covered)
    assert islands[0].archive.best == islands[1].archive.best
