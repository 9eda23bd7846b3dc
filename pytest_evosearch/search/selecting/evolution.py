"""Evolves policies: typed genetic programming with a tournament of five, in a steady state.

    population = random trees
    until the number of trees is reached:
        five at random; the two best of them are parents of one child, which replaces the worst
        child = crossover (parts of equal type change places), then mutation of a terminal or of a
                part

`evolving` does so during a run, and `benchmarks.train_policy` before.  No library is used: DEAP
draws from the global random numbers, which the application shares, needs numpy, and reads a policy
with `eval`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.search.selecting.policy import GRAMMAR
from pytest_evosearch.search.selecting.policy import LARGEST_NUMBER
from pytest_evosearch.search.selecting.policy import Tree

TOURNAMENT = 5
"""Trees that compete for a child."""


@dataclass(frozen=True)
class EvolutionParameters:
    """Parameters of evolution."""

    population: int = 20
    depth: int = 4
    """Most levels of a tree."""
    mutation: float = 0.4
    """How often a child is mutated."""


def grown(kind: str, rng: Random, depth: int) -> Tree:
    """Return a random tree of a type with at most `depth` levels, where that is possible."""
    operators = [name for name, (result, _arguments) in GRAMMAR.items() if result == kind]
    if depth <= 1:
        fewest = min(_levels(name) for name in operators)
        operators = [name for name in operators if _levels(name) == fewest]
    operator = rng.choice(operators)
    if operator == "number":
        return [operator, rng.randrange(LARGEST_NUMBER + 1)]
    return [operator, *(grown(one, rng, depth - 1) for one in GRAMMAR[operator][1])]


def _levels(operator: str) -> int:
    """Return how many levels a tree of this operator has at least."""
    arguments = GRAMMAR[operator][1]
    recursive = GRAMMAR[operator][0] in arguments
    return 9 if recursive else 1 + bool(arguments)


def parts(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Tree]]:
    """Yield the parts of a tree with their places; the tree itself is the first."""
    yield path, tree
    for index, part in enumerate(tree[1:], 1):
        if isinstance(part, list):
            yield from parts(part, (*path, index))


def with_part(tree: Tree, path: tuple[int, ...], part: Tree) -> Tree:
    """Return a copy with another part at a place."""
    if not path:
        return part
    changed: list[Any] = list(tree)
    changed[path[0]] = with_part(tree[path[0]], path[1:], part)
    return changed


def crossed(mother: Tree, father: Tree, rng: Random, depth: int) -> Tree:
    """Return the mother with a part of the father in place of one of equal type."""
    path, replaced = rng.choice(list(parts(mother)))
    kind = GRAMMAR[replaced[0]][0]
    donors = [part for _path, part in parts(father) if GRAMMAR[part[0]][0] == kind]
    if not donors:
        return mother
    return _not_too_deep(with_part(mother, path, rng.choice(donors)), mother, depth)


def mutated(tree: Tree, rng: Random, depth: int) -> Tree:
    """Return a copy with another terminal, or with another part."""
    places = list(parts(tree))
    if rng.random() < 0.5:
        places = [(path, part) for path, part in places if len(part) == 1 or part[0] == "number"]
    path, part = rng.choice(places)
    kind = GRAMMAR[part[0]][0]
    levels = 1 if len(part) == 1 else depth - len(path)
    return _not_too_deep(with_part(tree, path, grown(kind, rng, levels)), tree, depth)


def _not_too_deep(changed: Tree, tree: Tree, depth: int) -> Tree:
    deepest = max(len(path) for path, _part in parts(changed))
    return changed if deepest <= depth else tree
