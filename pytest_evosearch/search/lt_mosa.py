"""LT-MOSA, linkage-tree MOSA: keeps actions together that succeed together.

    P = M random tests; fronts = preference sorting
    while budget left:
        every K generations: L = linkage model learned from the first front
        for i in 1..M:
            parent = tournament(P)
            with probability 0.75: donor = tournament(P)
                child = linkage_recombine(parent, donor, L)
            otherwise child = copy of parent
            child = mutate(child) with the number of mutations rising 1 -> 10 as in MIO
        P = environmental selection of (P + children), as in MOSA

    linkage_recombine: of the subsets of L that occur as a whole in the donor, draw one; insert
        the donor's calls of those actions, with their data and in the donor's order, at a
        random place of the parent; without a candidate: single-point crossover

Source: D. Stallenberg, M. Olsthoorn, A. Panichella, "Improving test case generation for REST APIs
through hierarchical clustering", ASE 2021.

The invariants of MOSA hold.  A model is never older than K generations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.linkage import LinkageModel
from pytest_evosearch.search.mosa import Mosa
from pytest_evosearch.search.mosa import MosaParameters
from pytest_evosearch.search.schedule import Schedule
from pytest_evosearch.settings.tunables import MOST_MUTATIONS
from pytest_evosearch.settings.tunables import tuned

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class LtMosaParameters(MosaParameters):
    """Parameters of LT-MOSA; `crossover` is the probability of linkage recombination."""

    generations_per_model: int = tuned(10, 1, 1_000_000)
    """K: generations after which the linkage is learned again."""
    mutations: int = tuned(1, 1, MOST_MUTATIONS)
    """Mutations of a child at the start."""
    focused_mutations: int = tuned(10, 1, MOST_MUTATIONS)
    focus: float = tuned(0.8)
    """Share of the budget after which the number of mutations stays constant."""


class LtMosa(Mosa[I], Generic[I]):
    """LT-MOSA behind `ask` and `tell`."""

    parameters_type = LtMosaParameters
    parameters: LtMosaParameters

    def __init__(
        self, context: SearchContext[I], parameters: LtMosaParameters | None = None
    ) -> None:
        super().__init__(context, parameters)
        self._mutations = Schedule(
            self.parameters.mutations, self.parameters.focused_mutations, self.parameters.focus
        )
        self._generation = 0
        self.model = LinkageModel()
        """The linkage that recombination uses now."""

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Let parents and children compete, and learn the linkage again when it is time."""
        super().tell(evaluations)
        if self._generation % self.parameters.generations_per_model == 0:
            self.model = self._learn()
        self._generation += 1

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Let tests of others compete with the population, and learn the first linkage from it."""
        super().welcome(evaluations)
        if self._generation == 0:
            self.model = self._learn()

    def _learn(self) -> LinkageModel:
        actions = self._context.problem.actions
        first_front = [member for member in self._population if member.rank == 0]
        return LinkageModel.learn(
            [actions(member.evaluation.individual) for member in first_front or self._population]
        )

    def _children(self) -> tuple[I, ...]:
        child = self._parent()
        if self._context.rng.random() < self.parameters.crossover_probability:
            child = self._recombine(child, self._parent())
        for _ in range(max(1, self._mutations.whole(self._context.progress()))):
            child = self._context.problem.mutate(child, self._context.rng)
        return (child,)

    def _recombine(self, parent: I, donor: I) -> I:
        problem, rng = self._context.problem, self._context.rng
        candidates = self.model.present_in(problem.actions(donor))
        if not candidates:
            return problem.crossover(parent, donor, rng)[0]
        chosen = candidates[rng.randrange(len(candidates))]
        return problem.insert_actions(parent, donor, chosen, rng)
