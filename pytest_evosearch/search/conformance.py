"""A kit that checks a search algorithm against the contract of `search.ask_and_tell`.

    from pytest_evosearch.search.conformance import run_conformance

    def test_my_algorithm_conforms():
        run_conformance(MyAlgorithm)

It needs neither pytest nor an application: it drives the algorithm on the toy problems of
`search.toy` and raises AssertionError with a sentence that says what is broken.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import TypeAlias

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
"""Makes a fresh algorithm for a context, as the class of an algorithm does."""

LARGEST_GENERATION = 200
"""Tests that one `ask` may return: what is asked for at once ignores what it could learn."""


@dataclass(frozen=True)
class Run:
    """What happened when an algorithm was driven."""

    archive: Archive[ToyTest]
    executed: tuple[ToyTest, ...]
    """Every executed test, in order."""
    coverage: tuple[int, ...]
    """Covered targets after each executed test."""
    evaluations_to_cover_all: int | None
    """How many tests it took to cover every target of the problem; None when it did not."""


def drive(
    factory: ToyFactory,
    problem: ToyProblem,
    evaluations: int,
    seed: int = 1,
    seeds: Sequence[ToyTest] = (),
    immigrants: Sequence[ToyTest] = (),
) -> Run:
    """Run an algorithm for exactly `evaluations` tests, the way the engine does.

    As in a real run, a covered target is retired: later tests no longer score it.  `seeds`
    are welcomed before the first `ask`, `immigrants` after every `tell`; neither is counted.
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
    """Check everything that an algorithm must hold to; raise AssertionError otherwise."""
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
    """Check that coverage never falls while the algorithm works with the archive."""
    _check(list(run.coverage) == sorted(run.coverage), "the number of covered targets fell")


def check_deterministic(run: Run, again: Run) -> None:
    """Check that the same seed gives the same tests in the same order."""
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
    """Check that outcomes may be welcomed before the first `ask`."""
    problem = numbers(3)
    sample = problem.sample(derive(1, "seeds"))
    check_budget(drive(factory, problem, 60, seeds=[sample, sample]), 60)


def check_immigrants_are_welcome(factory: ToyFactory) -> None:
    """Check that outcomes may be welcomed after every `tell`, without harm to the search."""
    problem = numbers(3)
    sample = problem.sample(derive(1, "immigrants"))
    run = drive(factory, problem, 120, immigrants=[sample, sample])
    check_budget(run, 120)
    check_monotone(run)
    check_deterministic(run, drive(factory, problem, 120, immigrants=[sample, sample]))


def check_nothing_reached(factory: ToyFactory) -> None:
    """Check that an application in which no target is ever reached does not stop a search."""
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
