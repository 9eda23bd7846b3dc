"""Genes around one other gene, with the value of that gene."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.composite import INNER
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.text import ANY_TEXT


@dataclass(frozen=True)
class WrapperGene(CompositeGene):
    """A gene that adds something to the gene inside: it may be omitted, null or suggested."""

    is_wrapper: ClassVar[bool] = True

    gene: Gene = ANY_TEXT

    def adopt(self, value: object) -> Gene | None:
        """Let the gene inside hold `value`."""
        adopted = self.gene.adopt(value)
        return None if adopted is None else replace(self, gene=adopted)

    def simpler(self) -> Iterator[Gene]:
        """Yield copies around a simpler gene."""
        for candidate in self.gene.simpler():
            yield replace(self, gene=candidate)

    def specificity(self) -> int:
        """Return the specificity of the gene inside."""
        return self.gene.specificity()

    def described(self, place: Path) -> Gene | None:
        """Return the description of the gene inside."""
        return self.gene.described(place)

    def with_inside(self, change: Callable[[Gene], Gene]) -> Gene | None:
        """Return a copy around the changed gene."""
        return replace(self, gene=change(self.gene))

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the gene inside."""
        return ((INNER, self.gene),)

    def with_child(self, key: Key, child: Gene) -> Gene:
        """Return a copy around another gene."""
        if key != INNER:
            raise KeyError(key)
        return replace(self, gene=child)
