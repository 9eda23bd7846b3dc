"""Values that are sent as one text: arrays with their elements joined, and anything as JSON."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Wrong
from pytest_evosearch.genes.text import ANY_TEXT
from pytest_evosearch.genes.text import text_from

ATTEMPTS = 8
"""Mutations to try until the text differs."""


@dataclass(frozen=True)
class EncodedGene(Gene):
    """A value written as one text. For other genes it is a leaf.

    With a `separator` it is a list with joined elements, ``1,2,3``; without one it is JSON,
    ``{"page":1}``.
    """

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.WRONG_INSIDE,
        Wrong.WRONG_INSIDE,
        Wrong.TEXT,
        Wrong.EMPTY_TEXT,
    )

    gene: Gene = ANY_TEXT
    separator: str = ""

    def value(self) -> str:
        """Return the text: JSON without spaces, or the elements."""
        value = self.gene.value()
        if not self.separator:
            return json.dumps(value, separators=(",", ":"), default=_spelt)
        elements = value if isinstance(value, list) else [value]
        return self.separator.join(text_from(element) or "" for element in elements)

    def sample(self, rng: Random) -> Gene:
        """Sample the value."""
        return replace(self, gene=self.gene.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Mutate the value until its text differs: that of ``[]`` and ``[""]`` may be the same."""
        changed = self
        for _ in range(ATTEMPTS):
            changed = replace(self, gene=changed.gene.mutate(rng, strength))
            if changed.value() != self.value():
                return changed
        return self

    def with_inside(self, change: Callable[[Gene], Gene]) -> Gene:
        """Return a copy around the changed gene of the value."""
        return replace(self, gene=change(self.gene))

    def adopt(self, value: object) -> Gene | None:
        """Hold a value, or the value that a text stands for."""
        text = text_from(value)
        try:
            adopted = self.gene.adopt(value if text is None else self._decoded(text))
        except ValueError:
            return None
        return None if adopted is None else replace(self, gene=adopted)

    def _decoded(self, text: str) -> object:
        if not self.separator:
            return json.loads(text)
        return text.split(self.separator) if text else []

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler values."""
        return (replace(self, gene=simpler) for simpler in self.gene.simpler())


def _spelt(value: object) -> str:
    """Return bytes, which JSON cannot hold, as text."""
    return value.decode("latin1") if isinstance(value, bytes) else str(value)
