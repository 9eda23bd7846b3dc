"""WTS, whole test suite generation: a genetic algorithm whose individual is a suite.

    P = 30 suites of random tests
    while budget left:
        next = the best suite (elitism)
        while next is not full:
            mother, father = binary tournaments
            with probability 0.7: swap their tests behind one cut point each
            mutate both: add a fresh test, remove one or change one
            run the tests that are new; if the better child is no worse than the better parent
                the children join next, otherwise the parents do
        P = next

The fitness of a suite is a sum over the uncovered targets: the best h of its tests for each.  On a
tie the suite with fewer calls is better.  Covered targets do not count, because the archive keeps
their tests.

Sources: G. Fraser, A. Arcuri, "Whole test suite generation", TSE 2013; J. M. Rojas, M. Vivanti, A.
Arcuri, G. Fraser, "A detailed investigation of the effectiveness of whole test suite generation",
EMSE 2017 (with an archive).

A suite has 1 to 30 tests.  `ask` returns one suite at first, and the new tests of one couple later,
never more than 60 tests.  An unchanged test is not run again.  The best fitness in the population
falls only when a target gets covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.tunables import LARGEST_POPULATION
from pytest_evosearch.settings.tunables import tuned

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class WholeSuiteParameters:
    """Parameters of WTS."""

    population_size: int = tuned(30, 1, LARGEST_POPULATION)
    """Number of suites in the population."""
    maximum_tests: int = tuned(30, 1, LARGEST_POPULATION)
    """Number of tests in the largest suite."""
    initial_tests: int = tuned(10, 1, LARGEST_POPULATION)
    """Number of tests in the largest suite of the first population."""
    tournament_size: int = tuned(2, 1, LARGEST_POPULATION)
    crossover_probability: float = tuned(0.7)


@dataclass(frozen=True)
class _Fresh(Generic[I]):
    """A test that has not been executed yet."""

    individual: I


@dataclass(frozen=True)
class Suite(Generic[I]):
    """A suite whose tests have all been executed."""

    tests: tuple[Evaluation[I], ...]
    best: Mapping[TargetId, float]
    """The best value of its tests for each target that was open when the suite was made."""
    calls: int

    @classmethod
    def of(cls, tests: Sequence[Evaluation[I]]) -> Suite[I]:
        """Make a suite of executed tests."""
        # Suites are compared far more often than they are made, so the values are merged here.
        best: dict[TargetId, float] = {}
        for test in tests:
            for target, score in test.scores.items():
                if score > best.get(target, 0.0):
                    best[target] = score
        return cls(tuple(tests), best, sum(test.size[0] for test in tests))


Draft = tuple["Evaluation[I] | _Fresh[I]", ...]
"""A suite in which some tests may be new."""


class WholeSuite(Generic[I]):
    """WTS behind `ask` and `tell`."""

    parameters_type = WholeSuiteParameters

    def __init__(
        self, context: SearchContext[I], parameters: WholeSuiteParameters | None = None
    ) -> None:
        self.parameters = parameters or WholeSuiteParameters()
        self._context = context
        self._population: list[Suite[I]] = []
        self._next: list[Suite[I]] = []
        self._drafts: list[Draft[I]] = []
        self._parents: list[Suite[I]] = []
        self._has_asked = False

    @property
    def population(self) -> list[Suite[I]]:
        """Return the suites of the present generation."""
        return list(self._population)

    def ask(self) -> Sequence[I]:
        """Return the new tests of a first suite, or of the next two children."""
        self._has_asked = True
        fresh: list[I] = []
        while not fresh:
            if len(self._population) < self.parameters.population_size:
                self._parents, self._drafts = [], [self._random_suite()]
            else:
                self._breed()
            fresh = [
                test.individual
                for draft in self._drafts
                for test in draft
                if isinstance(test, _Fresh)
            ]
            if not fresh:
                self.tell([])  # children that only lost or exchanged tests need no execution
        return fresh

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Complete the suites with the executed tests, and let them compete with their parents."""
        outcomes = [self._context.archive.trimmed(evaluation) for evaluation in evaluations]
        children = [_completed(draft, outcomes) for draft in self._drafts]
        self._drafts = []
        families = [Suite.of(child) for child in children if child]
        if len(self._population) < self.parameters.population_size:
            self._population += families
        else:
            self._enrol(families)

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Make a suite of each test before the first `ask`; later replace worse suites."""
        outcomes = [self._context.archive.trimmed(evaluation) for evaluation in evaluations]
        if not self._has_asked:
            self._population += [Suite.of([outcome]) for outcome in outcomes]
            return
        most = self.parameters.maximum_tests
        for first in range(0, len(outcomes), most):
            self._replace_worst(Suite.of(outcomes[first : first + most]))

    def _replace_worst(self, suite: Suite[I]) -> None:
        if not self._population:
            self._population.append(suite)
            return
        place = max(range(len(self._population)), key=lambda at: self._order(self._population[at]))
        if self._order(suite) < self._order(self._population[place]):
            self._population[place] = suite

    def _random_suite(self) -> Draft[I]:
        rng = self._context.rng
        most = min(self.parameters.initial_tests, self.parameters.maximum_tests)
        count = 1 + rng.randrange(most)
        return tuple(_Fresh(self._context.problem.sample(rng)) for _ in range(count))

    def _breed(self) -> None:
        rng = self._context.rng
        self._parents = [self._tournament(), self._tournament()]
        mother, father = (parent.tests for parent in self._parents)
        pair: tuple[Draft[I], Draft[I]] = (mother, father)
        if rng.random() < self.parameters.crossover_probability:
            pair = self._crossover(mother, father)
        self._drafts = [self._mutated(draft) for draft in pair]

    def _crossover(self, mother: Draft[I], father: Draft[I]) -> tuple[Draft[I], Draft[I]]:
        """Exchange the tails after one relative cut point, so that lengths stay similar."""
        share = self._context.rng.random()
        cut, other_cut = int(share * len(mother)), int(share * len(father))
        limit = self.parameters.maximum_tests
        first = mother[:cut] + father[other_cut:]
        second = father[:other_cut] + mother[cut:]
        return first[:limit] or mother, second[:limit] or father

    def _mutated(self, draft: Draft[I]) -> Draft[I]:
        problem, rng = self._context.problem, self._context.rng
        operators = ["change"]
        if len(draft) < self.parameters.maximum_tests:
            operators.append("add")
        if len(draft) > 1:
            operators.append("remove")
        operator = operators[rng.randrange(len(operators))]
        if operator == "add":
            return (*draft, _Fresh(problem.sample(rng)))
        place = rng.randrange(len(draft))
        if operator == "remove":
            return draft[:place] + draft[place + 1 :]
        changed = _Fresh(problem.mutate(draft[place].individual, rng))
        return (*draft[:place], changed, *draft[place + 1 :])

    def _enrol(self, children: list[Suite[I]]) -> None:
        """Add the better family to the next generation; start the next one when it is full."""
        if not self._next:
            self._next.append(min(self._population, key=self._order))
        both = [self._order(suite) for suite in self._parents]
        better = children and min(map(self._order, children)) <= min(both)
        self._next += children if better else self._parents
        if len(self._next) >= self.parameters.population_size:
            self._population = self._next[: self.parameters.population_size]
            self._next = []

    def _tournament(self) -> Suite[I]:
        rng, population = self._context.rng, self._population
        drawn = [
            population[rng.randrange(len(population))]
            for _ in range(self.parameters.tournament_size)
        ]
        return min(drawn, key=self._order)

    def _order(self, suite: Suite[I]) -> tuple[float, int]:
        """Return the key that compares suites: negated fitness, then calls; smaller is better."""
        return (-self.fitness(suite), suite.calls)

    def fitness(self, suite: Suite[I]) -> float:
        """Return the sum over the uncovered targets of the best value in `suite`."""
        is_covered = self._context.archive.is_covered
        return sum(score for target, score in suite.best.items() if not is_covered(target))


def _completed(draft: Draft[I], outcomes: list[Evaluation[I]]) -> list[Evaluation[I]]:
    """Replace new tests by their `outcomes`, which are used in order.

    Leave out tests that were not executed because the budget was spent.
    """
    tests: list[Evaluation[I]] = []
    for test in draft:
        if not isinstance(test, _Fresh):
            tests.append(test)
        elif outcomes:
            tests.append(outcomes.pop(0))
    return tests
