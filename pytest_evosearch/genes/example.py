"""A value that people have given as an example, which says more than a simpler or ordinary one."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.optional import optional
from pytest_evosearch.genes.wrappers import WrapperGene


@dataclass(frozen=True)
class ExampleGene(WrapperGene):
    """An example of the project: nothing is simpler, and what varies it is that of the gene inside.

    A variation is no example any more.
    """

    def value(self) -> object:
        """Return the value of the gene inside."""
        return self.gene.value()

    def sample(self, rng: Random) -> Gene:
        """Return any value of the gene inside."""
        return self.gene.sample(rng)

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Return a variation of the gene inside."""
        return self.gene.mutate(rng, strength)

    def adopt(self, value: object) -> Gene | None:
        """Return the gene inside with another value."""
        return self.gene.adopt(value)

    def simpler(self) -> Iterator[Gene]:
        """Yield nothing: the example is what is wanted."""
        return iter(())

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return nothing: its parts are not replaced one by one."""
        return ()


@dataclass(frozen=True)
class Usual:
    """What people would pass at one place."""

    values: tuple[object, ...] = ()
    """Values to try before any other, the best first."""
    takes_any_text: bool = True
    """Whether ordinary texts make sense; a template or a keyword is no ordinary text."""


ANY = Usual()
"""Stands for a place of which nothing is known."""


def example_of(gene: Gene, value: object, is_certain: bool = True) -> Gene:
    """Return the gene with an example, as it is.

    One that the gene itself cannot hold is a constant if it is certain that it belongs there;
    otherwise the gene stays as it was.
    """
    adopted = gene.sent().adopt(value)
    if adopted is None or not same(adopted.value(), value):
        if not is_certain:
            return gene
        adopted = ConstantGene(value)
    example = ExampleGene(adopted)
    return optional(example) if gene.is_optional else example


def is_example(gene: Gene) -> bool:
    """Say whether a gene holds an example."""
    return isinstance(gene.sent(), ExampleGene)
