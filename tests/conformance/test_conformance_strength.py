"""What each algorithm must achieve on problems with known optima; all seeded."""

from __future__ import annotations

from statistics import median

import pytest

from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.conformance import ToyFactory
from pytest_evosearch.search.conformance import drive
from pytest_evosearch.search.toy import ToyProblem
from pytest_evosearch.search.toy import deceptive
from pytest_evosearch.search.toy import needle
from pytest_evosearch.search.toy import nested
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.search.toy import plateau
from pytest_evosearch.search.toy import sequence

SEEDS = (1, 2, 3)


def factory(name: str) -> ToyFactory:
    registered = ALGORITHMS.get(name)
    return lambda context: registered(context)


def median_covered(name: str, problem: ToyProblem, evaluations: int) -> float:
    runs = [drive(factory(name), problem, evaluations, seed) for seed in SEEDS]
    return median(len(run.archive.covered) for run in runs)


@pytest.mark.parametrize("name", ALGORITHMS.names)
@pytest.mark.parametrize(
    ("problem", "evaluations"),
    [(needle(), 400), (deceptive(), 400), (sequence(), 400)],
    ids=lambda given: given.name if isinstance(given, ToyProblem) else str(given),
)
def test_everyone_solves_what_needs_no_gradient(
    name: str, problem: ToyProblem, evaluations: int
) -> None:
    assert median_covered(name, problem, evaluations) == len(problem.targets)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS.names if name != "random"])
def test_guided_algorithms_cross_a_plateau_sooner_than_random(name: str) -> None:
    def effort(algorithm: str) -> float:
        runs = [drive(factory(algorithm), plateau(), 1500, seed) for seed in SEEDS]
        return median(run.evaluations_to_cover_all or 1501 for run in runs)

    assert effort(name) < effort("random")


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *(("mio", 38), ("mosa", 38), ("dynamosa", 38), ("lt-mosa", 38), ("wts", 26)),
        ("qlearning", 38),
    ],
)
def test_guided_algorithms_follow_gradients_where_random_does_not(name: str, least: int) -> None:
    problem = numbers(20)
    covered = median_covered(name, problem, 2000)
    assert covered >= least
    assert covered > median_covered("random", problem, 2000)


def test_mio_beats_random_on_every_seed() -> None:
    for seed in SEEDS:
        guided = drive(factory("mio"), numbers(20), 1500, seed)
        blind = drive(factory("random"), numbers(20), 1500, seed)
        assert len(guided.archive.covered) > len(blind.archive.covered)


@pytest.mark.parametrize("name", ALGORITHMS.names)
def test_what_is_nested_is_reached_one_level_after_the_other(name: str) -> None:
    assert median_covered(name, nested(2), 1000) == 4
