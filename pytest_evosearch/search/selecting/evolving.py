"""Evolves a policy during the run: each tree leads a few walks, and its gain is its fitness.

    every second turn     the best tree leads again, so that luck does not last
    else                  a new tree, random at first; later a child of the two best of five, which
                          replaces the worst of the five

A tree is judged by `WALKS` walks at least.  Gains fade, because early walks gain most.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.screens.choosing import Led
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting.evolution import TOURNAMENT
from pytest_evosearch.search.selecting.evolution import EvolutionParameters
from pytest_evosearch.search.selecting.evolution import crossed
from pytest_evosearch.search.selecting.evolution import grown
from pytest_evosearch.search.selecting.evolution import mutated
from pytest_evosearch.search.selecting.policy import PolicyParameters
from pytest_evosearch.search.selecting.policy import PolicySelector
from pytest_evosearch.search.selecting.policy import Tree

WALKS = 3
"""Walks that a tree leads in one turn."""

FADING = 0.9
"""What is left of a mean gain after another tree's turn."""

GENES = EvolutionParameters(population=10)


@dataclass
class Candidate:
    """A tree, and the mean of what its walks gained."""

    tree: Tree
    mean: float = 0.0
    walks: int = 0


class EvolvingSelector:
    """Chooses as the present tree says."""

    parameters_type = PolicyParameters
    prefix = "gp"

    def __init__(self, parameters: PolicyParameters | None = None) -> None:
        self._policy = PolicySelector(parameters)
        self.parameters = self._policy.parameters
        self.population = [Candidate(self._policy.tree)]
        self._present: Candidate | None = self.population[0]
        self._turn = 0
        self._is_best = False

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return the offer that the present tree chooses."""
        if self._present is None:
            self._is_best = not self._is_best
            self._present = self.best if self._is_best else self._made(rng)
            self._turn = 0
        self._policy.tree = self._present.tree
        return self._policy.ask(situation, rng)

    def tell(self, step: Step) -> None:
        """Count an action."""
        self._policy.tell(step)

    def reward(self, gained: int) -> None:
        """Note what a walk has gained; after a few walks it is another tree's turn."""
        present = self._present
        if present is None:
            return
        present.walks, self._turn = present.walks + 1, self._turn + 1
        present.mean += (gained - present.mean) / min(present.walks, 2 * WALKS)
        if self._turn >= WALKS:
            self._present = None
            for one in self.population:
                one.mean *= 1.0 if one is present else FADING

    @property
    def best(self) -> Candidate:
        """The tree with the greatest mean gain."""
        return max(self.population, key=lambda one: one.mean)

    def led(self) -> Iterator[Led]:
        """Yield the best policy, how many walks it has led, and what they gained on average."""
        best = self.best
        yield Led(json.dumps(best.tree), best.walks, round(best.mean * best.walks))

    def _made(self, rng: Random) -> Candidate:
        """Return a new member of the population."""
        if len(self.population) < GENES.population:
            made = Candidate(grown("choice", rng, GENES.depth))
            self.population.append(made)
            return made
        five = rng.sample(self.population, TOURNAMENT)
        five.sort(key=lambda one: one.mean, reverse=True)
        child = crossed(five[0].tree, five[1].tree, rng, GENES.depth)
        if rng.random() < GENES.mutation:
            child = mutated(child, rng, GENES.depth)
        made = Candidate(child)
        self.population[self.population.index(five[-1])] = made
        return made
