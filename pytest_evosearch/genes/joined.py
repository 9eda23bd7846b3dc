"""Arrays that are sent as one text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.text import text_from

ATTEMPTS = 8
"""Mutations to try until the joined text differs."""


ANY_ARRAY = ArrayGene()
"""The assumed array when nothing is known."""


@dataclass(frozen=True)
class JoinedGene(Gene):
    """An array written as one text: ``1,2,3``. For other genes it is a leaf, like a text."""

    separator: str = ","
    array: ArrayGene = ANY_ARRAY

    def value(self) -> str:
        """Return the elements as texts, joined."""
        return self.separator.join(_spelt(value) for value in self.array.value())

    def sample(self, rng: Random) -> JoinedGene:
        """Sample the array."""
        return replace(self, array=self.array.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Mutate the array; arrays with one text (``[]`` and ``[""]``) count as equal."""
        changed: Gene = self.array
        for _ in range(ATTEMPTS):
            changed = changed.mutate(rng, strength)
            if isinstance(changed, ArrayGene):
                candidate = replace(self, array=changed)
                if candidate.value() != self.value():
                    return candidate
        return self

    def adopt(self, value: object) -> Gene | None:
        """Hold a list, or a text that is split at the separators."""
        text = text_from(value)
        items = value if text is None else (text.split(self.separator) if text else [])
        adopted = self.array.adopt(items)
        return replace(self, array=adopted) if isinstance(adopted, ArrayGene) else None

    def simpler(self) -> Iterator[Gene]:
        """Yield the array made simpler."""
        for candidate in self.array.simpler():
            if isinstance(candidate, ArrayGene):
                yield replace(self, array=candidate)


def _spelt(value: object) -> str:
    text = text_from(value)
    return "" if text is None else text
