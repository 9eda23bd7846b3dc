"""MOSA, the many-objective sorting algorithm: all uncovered targets at once.

    P = M random tests
    while budget left:
        Q = M children: tournament, single-point crossover on the call sequence with
            probability 0.75, then mutation
        P = environmental selection of (P + Q): preference sorting over the uncovered targets,
            non-dominated fronts, sub-vector dominance in the last front that fits

Source: A. Panichella, F. Kifetew, P. Tonella, "Reformulating branch coverage as a many-objective
optimization problem", ICST 2015.

A generation has at most M tests, and so has the population.  A test that is best for an uncovered
target survives as long as there is room for such tests.  A covered target stops being an objective
at once.  All tests are equal for a target that no test reaches.  So the shortest test is always
preferred while there is such a target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.ranking import Objectives
from pytest_evosearch.search.ranking import Ranked
from pytest_evosearch.search.ranking import select_survivors
from pytest_evosearch.search.ranking import tournament
from pytest_evosearch.settings.tunables import LARGEST_POPULATION
from pytest_evosearch.settings.tunables import tuned

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class MosaParameters:
    """Parameters of MOSA."""

    population_size: int = tuned(50, 1, LARGEST_POPULATION)
    tournament_size: int = tuned(10, 1, LARGEST_POPULATION)
    crossover_probability: float = tuned(0.75)


class Mosa(Generic[I]):
    """MOSA behind `ask` and `tell`: one generation at a time."""

    parameters_type: type[MosaParameters] = MosaParameters

    def __init__(self, context: SearchContext[I], parameters: MosaParameters | None = None) -> None:
        self.parameters = parameters or self.parameters_type()
        self._context = context
        self._population: list[Ranked[I]] = []

    @property
    def population(self) -> list[Ranked[I]]:
        """Return the present population, best first."""
        return list(self._population)

    def ask(self) -> Sequence[I]:
        """Return the next generation: new samples first, children afterwards."""
        if not self._population:
            sample, rng = self._context.problem.sample, self._context.rng
            return [sample(rng) for _ in range(self.parameters.population_size)]
        return self._breed(self.parameters.population_size)

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Let parents and children compete; keep the tests and drop their responses."""
        self._compete(evaluations)

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Let tests of others compete with the population."""
        self._compete(evaluations)

    def _compete(self, evaluations: Sequence[Evaluation[I]]) -> None:
        pool = [member.evaluation for member in self._population]
        pool += map(self._context.archive.trimmed, evaluations)
        self._population = select_survivors(
            pool, self._objectives(), self.parameters.population_size
        )

    def _objectives(self) -> Objectives:
        """Return every known target that is not covered."""
        archive = self._context.archive
        return Objectives(
            includes=lambda target: not archive.is_covered(target),
            unreached=lambda touched: touched < len(archive.known) - len(archive.covered),
        )

    def _breed(self, count: int) -> list[I]:
        children: list[I] = []
        while len(children) < count:
            children += self._children()
        return children[:count]

    def _children(self) -> tuple[I, ...]:
        problem, rng = self._context.problem, self._context.rng
        pair = (self._parent(), self._parent())
        if rng.random() < self.parameters.crossover_probability:
            pair = problem.crossover(*pair, rng)
        return tuple(problem.mutate(child, rng) for child in pair)

    def _parent(self) -> I:
        chosen = tournament(self._population, self.parameters.tournament_size, self._context.rng)
        return chosen.evaluation.individual
