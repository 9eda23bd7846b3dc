"""Makes any kind of test simpler: shorter, then with simpler values, while it keeps its worth.

A test is a sequence of steps with genes at places.  This module knows no more of it, so it serves
tests of units as well as others that have these three methods.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk


class Reducible(Protocol):
    """A test that can get simpler."""

    def genes(self) -> Iterable[tuple[Any, Gene]]:
        """Yield every gene with its place, the most important first."""
        ...

    def with_gene(self, place: Any, gene: Gene) -> Any:
        """Return a copy with another gene at a place."""
        ...

    def shorter(self) -> Iterable[Any]:
        """Yield copies without one step."""
        ...


T = TypeVar("T", bound=Reducible)


def variants(root: Gene) -> Iterator[Gene]:
    """Yield the tree with one simplified gene, the whole tree first."""
    for path, gene in walk(root):
        for simpler in gene.simpler():
            yield replaced(root, path, simpler)


def simplified(test: T, keeps: Callable[[T], bool], key: Callable[[T], Hashable], limit: int) -> T:
    """Return the simplest test found within `limit` trials that `keeps` accepts."""
    tried = {key(test)}
    left = limit

    def is_accepted(candidate: T) -> bool:
        nonlocal left
        if left <= 0 or key(candidate) in tried:
            return False
        tried.add(key(candidate))
        left -= 1
        return keeps(candidate)

    while left > 0:
        better = next(filter(is_accepted, simpler_tests(test)), None)
        if better is None:
            break
        test = better
    return test


def simpler_tests(test: T) -> Iterator[T]:
    """Yield simpler variants of a test: without one step, then with one simpler value."""
    yield from test.shorter()
    for place, gene in test.genes():
        for variant in variants(gene):
            yield test.with_gene(place, variant)
