"""Genes that contain genes, and the fair choice of what to change inside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from typing import ClassVar

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk

INNER = "*"
"""The key of a wrapper's only child; wrappers do not appear in paths of values."""

ATTEMPTS = 8
"""Random attempts to find a change before every descendant is tried in order."""


class CompositeGene(Gene):
    """A gene whose value consists of the values of its children."""

    structure_weight: ClassVar[float] = 0.3
    takes_suggestions: ClassVar[bool] = False
    inside: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are the children, where these are always the same."""

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Return a copy of another shape, or None when the shape cannot change.

        Mutations of children cannot change the shape: the number and order of elements, the active
        alternative, and whether an optional value is sent.
        """
        return None

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Change one descendant; all leaves are equally likely.

        A choice level by level would rarely reach the leaves of deep or wide objects.
        """
        return _mutated_descendant(self, rng, strength)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the attributes that are children."""
        return tuple((name, getattr(self, name)) for name in self.inside)

    def with_child(self, key: Key, child: Gene) -> Gene:
        """Return a copy with another child."""
        if key not in self.inside:
            raise KeyError(key)
        changed: dict[str, Any] = {str(key): child}
        return replace(self, **changed)

    def simpler(self) -> Iterator[Gene]:
        """Yield copies in which exactly one child is simpler."""
        return simpler_children(self)


def _mutated_descendant(root: Gene, rng: Random, strength: float) -> Gene:
    places = list(walk(root))
    weights = [gene.structure_weight for _path, gene in places]
    for path, gene in rng.choices(places, weights, k=ATTEMPTS):
        changed = _changed(root, path, gene, rng, strength)
        if changed is not None:
            return changed
    for path, gene in places:
        changed = _changed(root, path, gene, rng, strength)
        if changed is not None:
            return changed
    return root


def _changed(root: Gene, path: Path, gene: Gene, rng: Random, strength: float) -> Gene | None:
    """Return `root` with the gene at `path` changed, or None when that gene cannot change."""
    candidate = gene.restructured(rng, strength)
    if candidate is None or candidate == gene:
        return None
    return replaced(root, path, candidate)


def simpler_children(gene: Gene) -> Iterator[Gene]:
    """Yield copies of `gene` in which exactly one child is simpler."""
    for key, child in gene.children():
        for candidate in child.simpler():
            yield gene.with_child(key, candidate)
