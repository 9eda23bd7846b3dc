"""The text of one path segment."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene


@dataclass(frozen=True)
class SegmentGene(TextGene):
    """A non-empty text without "/": no other text reaches the handler.

    "/" is a separator even when it is sent as ``%2F``, because WSGI decodes the path before
    it is routed.
    """

    minimum_length: int = 1
    current: str = "a"

    def sample(self, rng: Random) -> Gene:
        """Return a text without "/", mostly short and readable."""
        return self._routable(super().sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Change the text as `TextGene` does, without inserting "/"."""
        return self._routable(super().mutate(rng, strength))

    def adopt(self, value: object) -> Gene | None:
        """Hold any text that can be a segment; return None for all other values."""
        adopted = super().adopt(value)
        if isinstance(adopted, TextGene) and adopted.current and "/" not in adopted.current:
            return adopted
        return None

    def _routable(self, gene: Gene) -> Gene:
        if isinstance(gene, TextGene) and "/" in gene.current:
            return self.holding(gene.current.replace("/", "-"))
        return gene
