from __future__ import annotations

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.toy import Step
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.search.whole_suite import Suite
from pytest_evosearch.search.whole_suite import WholeSuite
from pytest_evosearch.search.whole_suite import WholeSuiteParameters

PARAMETERS = WholeSuiteParameters(population_size=6, maximum_tests=5, initial_tests=3)


class Bench:
    """Drives WTS by hand on a toy problem."""

    def __init__(self, parameters: WholeSuiteParameters = PARAMETERS) -> None:
        self.problem = numbers(6)
        self.archive: Archive[ToyTest] = Archive()
        self.algorithm = WholeSuite(
            SearchContext(self.problem, self.archive, Random(3), lambda: 0.0), parameters
        )

    def step(self, executed: int | None = None) -> list[ToyTest]:
        asked = list(self.algorithm.ask())
        evaluations = [self.problem.evaluate(test) for test in asked[:executed]]
        for evaluation in evaluations:
            self.archive.offer(evaluation)
        self.algorithm.tell(evaluations)
        return asked


def scored(number: int, scores: dict[str, float], calls: int = 1) -> Evaluation[ToyTest]:
    return Evaluation((Step("put 0", number),), scores, (calls, 1))


def test_the_first_population_is_asked_for_suite_by_suite() -> None:
    bench = Bench()
    sizes = [len(bench.step()) for _ in range(6)]
    assert [len(suite.tests) for suite in bench.algorithm.population] == sizes
    assert set(sizes) <= {1, 2, 3}


def test_suites_stay_within_their_bounds() -> None:
    bench = Bench()
    for _ in range(200):
        bench.step()
        assert all(1 <= len(suite.tests) <= 5 for suite in bench.algorithm.population)
    assert len(bench.algorithm.population) == 6


def test_only_new_tests_are_executed() -> None:
    bench = Bench()
    for _ in range(6):
        bench.step()
    for _ in range(50):
        # Each child has at most one test that is new: added or changed.
        assert len(bench.step()) in (1, 2)


def test_fitness_is_the_sum_of_the_best_values_on_uncovered_targets() -> None:
    bench = Bench()
    bench.archive.offer(scored(0, {"covered": 1.0}))
    suite = Suite.of([scored(1, {"a": 0.5, "covered": 1.0}), scored(2, {"a": 0.25, "b": 0.25})])
    assert bench.algorithm.fitness(suite) == pytest.approx(0.75)


def test_the_best_suite_stays_while_nothing_new_is_covered() -> None:
    bench = Bench()
    for _ in range(6):
        bench.step()
    for _ in range(100):
        before, covered = best_fitness(bench), len(bench.archive.covered)
        bench.step()
        if len(bench.archive.covered) == covered:
            assert best_fitness(bench) >= before - 1e-9


def best_fitness(bench: Bench) -> float:
    return max(map(bench.algorithm.fitness, bench.algorithm.population))


def test_a_budget_that_ends_within_a_suite_does_no_harm() -> None:
    bench = Bench()
    for _ in range(20):
        bench.step(executed=1)
    bench.step(executed=0)
    assert all(suite.tests for suite in bench.algorithm.population)


def test_seeds_are_suites_of_one_test() -> None:
    bench = Bench()
    bench.algorithm.welcome([scored(1, {"a": 0.5})])
    assert [len(suite.tests) for suite in bench.algorithm.population] == [1]


def test_immigrants_take_the_place_of_the_worst_suite() -> None:
    bench = Bench()
    for _ in range(6):
        bench.step()
    many = [scored(number, {f"far {number}": 0.9}) for number in range(7)]
    bench.algorithm.welcome(many)
    suites = [suite.tests for suite in bench.algorithm.population]
    assert len(suites) == 6
    assert any(many[0] in tests for tests in suites)
    assert all(len(tests) <= PARAMETERS.maximum_tests for tests in suites)


def test_immigrants_that_are_no_better_are_left_out() -> None:
    bench = Bench()
    for _ in range(6):
        bench.step()
    before = bench.algorithm.population
    bench.algorithm.welcome([scored(1, {}, calls=50)])
    assert bench.algorithm.population == before


def test_a_first_suite_is_not_larger_than_any_later_one() -> None:
    parameters = WholeSuiteParameters(initial_tests=50, maximum_tests=2)
    context: SearchContext[ToyTest] = SearchContext(numbers(2), Archive(), Random(1), lambda: 0.0)
    assert len(WholeSuite(context, parameters).ask()) <= 2
