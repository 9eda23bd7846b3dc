"""A kit that checks a search algorithm against the contract of `search.ask_and_tell`.

    from pytest_evosearch.search.conformance import run_conformance

    def test_my_algorithm_conforms():
        run_conformance(MyAlgorithm)

It needs neither pytest nor an application.  It runs the algorithm on the toy problems of
`search.toy`, and raises AssertionError with a sentence that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.toy import ToyProblem
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.search.toy import toy_problems

ToyFactory: TypeAlias = Callable[[SearchContext[ToyTest]], SearchAlgorithm[ToyTest]]
"""Makes a new algorithm for a context, as the class of an algorithm does."""

LARGEST_GENERATION = 200
"""Largest number of tests in one `ask`: an algorithm cannot learn between them."""


@dataclass(frozen=True)
class Run:
    """What happened in one run of an algorithm."""

    archive: Archive[ToyTest]
    executed: tuple[ToyTest, ...]
    """Every executed test, in order."""
    coverage: tuple[int, ...]
    """Number of covered targets after each executed test."""
    evaluations_to_cover_all: int | None
    """Number of tests until every target of the problem was covered; None if some were not."""


def drive(
    factory: ToyFactory,
    problem: ToyProblem,
    evaluations: int,
    seed: int = 1,
    seeds: Sequence[ToyTest] = (),
    immigrants: Sequence[ToyTest] = (),
) -> Run:
    """Run an algorithm for exactly `evaluations` tests, as the engine does.

    A covered target gets no more scores, as in a real run.  The algorithm gets `seeds` before the
    first `ask` and `immigrants` after every `tell`; neither counts as an evaluation.
    """
    archive: Archive[ToyTest] = Archive(problem.targets)
    executed: list[ToyTest] = []
    coverage: list[int] = []
    algorithm = factory(
        SearchContext(
            problem=problem,
            archive=archive,
            rng=derive(seed, "search"),
            progress=lambda: len(executed) / evaluations,
        )
    )
    if seeds:
        algorithm.welcome([_execute(problem, archive, seed_test) for seed_test in seeds])
    while len(executed) < evaluations:
        asked = list(algorithm.ask())
        _check(bool(asked), "ask() returned nothing")
        _check(len(asked) <= LARGEST_GENERATION, f"ask() returned {len(asked)} tests at once")
        outcomes: list[Evaluation[ToyTest]] = []
        for test in asked[: evaluations - len(executed)]:
            outcomes.append(_execute(problem, archive, test))
            executed.append(test)
            coverage.append(len(archive.covered))
        algorithm.tell(outcomes)
        if immigrants:
            algorithm.welcome([_execute(problem, archive, immigrant) for immigrant in immigrants])
    everything = len(problem.targets)
    needed = next((place for place, count in enumerate(coverage, 1) if count == everything), None)
    return Run(archive, tuple(executed), tuple(coverage), needed)


def run_conformance(factory: ToyFactory, evaluations: int = 300, seed: int = 1) -> None:
    """Check every rule of the contract; raise AssertionError if one is broken."""
    for problem in toy_problems():
        run = drive(factory, problem, evaluations, seed)
        check_budget(run, evaluations)
        check_monotone(run)
        check_deterministic(run, drive(factory, problem, evaluations, seed))
    check_odd_budgets(factory)
    check_seeds_are_welcome(factory)
    check_immigrants_are_welcome(factory)
    check_nothing_reached(factory)


def check_budget(run: Run, evaluations: int) -> None:
    """Check that the algorithm lets a driver spend exactly its budget."""
    _check(len(run.executed) == evaluations, "the number of executed tests is not the budget")


def check_monotone(run: Run) -> None:
    """Check that coverage never falls while the algorithm uses the archive."""
    _check(list(run.coverage) == sorted(run.coverage), "the number of covered targets fell")


def check_deterministic(run: Run, again: Run) -> None:
    """Check that equal seeds give equal tests in equal order."""
    _check(run.executed == again.executed, "two runs with the same seed differ")
    _check(
        list(run.archive.covered) == list(again.archive.covered),
        "two runs with the same seed cover targets in different orders",
    )


def check_odd_budgets(factory: ToyFactory) -> None:
    """Check that a budget may end anywhere inside a generation, or after a single test."""
    for evaluations in (1, 2, 7, 51, 113):
        check_budget(drive(factory, numbers(3), evaluations), evaluations)


def check_seeds_are_welcome(factory: ToyFactory) -> None:
    """Check that outcomes may come before the first `ask`."""
    problem = numbers(3)
    sample = problem.sample(derive(1, "seeds"))
    check_budget(drive(factory, problem, 60, seeds=[sample, sample]), 60)


def check_immigrants_are_welcome(factory: ToyFactory) -> None:
    """Check that outcomes may come after every `tell`, and do not harm the search."""
    problem = numbers(3)
    sample = problem.sample(derive(1, "immigrants"))
    run = drive(factory, problem, 120, immigrants=[sample, sample])
    check_budget(run, 120)
    check_monotone(run)
    check_deterministic(run, drive(factory, problem, 120, immigrants=[sample, sample]))


def check_nothing_reached(factory: ToyFactory) -> None:
    """Check that a search goes on when the application reaches no target."""
    blank = replace(numbers(3), name="blank", application=lambda _test: {})
    check_budget(drive(factory, blank, 120), 120)


def _execute(problem: ToyProblem, archive: Archive[ToyTest], test: ToyTest) -> Evaluation[ToyTest]:
    evaluation = problem.evaluate(test)
    live: dict[TargetId, float] = {
        target: score
        for target, score in evaluation.scores.items()
        if not archive.is_covered(target)
    }
    evaluation = replace(evaluation, scores=live)
    archive.offer(evaluation)
    return evaluation


def _check(condition: bool, complaint: str) -> None:
    if not condition:
        raise AssertionError(complaint)
