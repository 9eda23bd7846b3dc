"""Walks through a gene tree by the paths of its *values*.

A value path follows the visible request, ``("author", "tags", 0)``; a gene path also steps through
wrappers (optional, nullable, choice), which hold a value but add no level.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path

ValuePath: TypeAlias = Path
"""Keys of nested objects and indices of nested arrays; () is the whole value."""


def walk_values(
    root: Gene, value_path: ValuePath = (), gene_path: Path = ()
) -> Iterator[tuple[ValuePath, Path, Gene]]:
    """Yield every gene with the path of its value and its own path, parents before children.

    A wrapper and its inner gene have one value path; the wrapper comes first. An inactive gene has
    no value and is omitted, except for its inactive wrapper.
    """
    yield value_path, gene_path, root
    absent = 0
    for key, child in root.children():
        # An absent element moves the following elements up in the list that is sent.
        place = key - absent if isinstance(key, int) else key
        below = value_path if root.is_wrapper else (*value_path, place)
        yield from walk_values(child, below, (*gene_path, key))
        absent += child.value() is ABSENT


def leaves(root: Gene) -> Iterator[tuple[ValuePath, Path, Gene]]:
    """Yield the genes without children that have a value now, with both paths."""
    for value_path, gene_path, gene in walk_values(root):
        if not gene.children() and gene.value() is not ABSENT:
            yield value_path, gene_path, gene


def find(root: Gene, wanted: ValuePath) -> Path | None:
    """Return the path of the outermost gene that holds the value at `wanted`, or None."""
    for value_path, gene_path, _gene in walk_values(root):
        if value_path == wanted:
            return gene_path
    return None
