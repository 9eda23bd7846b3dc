"""Growing the gene tree of a JSON body, one recorded key path at a time."""

from __future__ import annotations

from functools import partial

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene

DEEPEST = 6
"""Levels of a body that are followed; recursive handlers would build endless genes."""


def grown(gene: Gene | None, path: Path, leaf: Gene) -> Gene:
    """Return `gene` with a place for a value at `path`, which starts as `leaf`.

    Existing places are kept as they are; a scalar on the way becomes an object or an array.
    """
    if not path or len(path) > DEEPEST:
        return leaf if gene is None else gene
    made = partial(_made, leaf)
    return made(path) if gene is None else gene.with_place(path, made)


def _made(leaf: Gene, path: Path) -> Gene:
    """Return objects and arrays around `leaf`, as a path wants them."""
    if not path:
        return leaf
    if isinstance(path[0], int):
        element = _made(leaf, path[1:])
        return ArrayGene(template=element, elements=(element,))
    return ObjectGene().with_place(path, partial(_made, leaf))
