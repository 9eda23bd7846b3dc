"""The default policy for actions is evolved by what policies gain."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.train_policy import evolved
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.search.selecting.evolution import EvolutionParameters
from pytest_evosearch.search.selecting.policy import Tree


def _operators(tree: Tree) -> set[str]:
    inside = [_operators(part) for part in tree[1:] if isinstance(part, list)]
    return {tree[0]}.union(*inside)


def test_evolution_finds_what_pays_and_equal_seeds_evolve_equally() -> None:
    def fitness(tree: Tree, seeds: Sequence[int]) -> float:
        return sum(one in _operators(tree) for one in ("pickLeastUsed", "if")) * len(seeds) / 3

    best, score = evolved(fitness, derive(1, "evolution"), EvolutionParameters(), 120, 1)
    again, _score = evolved(fitness, derive(1, "evolution"), EvolutionParameters(), 120, 1)
    assert score == 2.0
    assert best == again
