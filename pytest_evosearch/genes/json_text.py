"""Values that are sent as JSON text where only texts can be sent."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import ClassVar

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Wrong
from pytest_evosearch.genes.text import ANY_TEXT
from pytest_evosearch.genes.text import text_from


@dataclass(frozen=True)
class JsonTextGene(Gene):
    """A value written as JSON text: ``{"page":1}``. For other genes it is a leaf."""

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.WRONG_INSIDE,
        Wrong.WRONG_INSIDE,
        Wrong.TEXT,
        Wrong.EMPTY_TEXT,
    )

    gene: Gene = ANY_TEXT

    def value(self) -> str:
        """Return the value as JSON without spaces."""
        return json.dumps(self.gene.value(), separators=(",", ":"), default=_spelt)

    def sample(self, rng: Random) -> JsonTextGene:
        """Sample the value."""
        return JsonTextGene(self.gene.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Mutate the value."""
        return JsonTextGene(self.gene.mutate(rng, strength))

    def with_inside(self, change: Callable[[Gene], Gene]) -> Gene:
        """Return a copy around the changed gene of the value."""
        return JsonTextGene(change(self.gene))

    def adopt(self, value: object) -> Gene | None:
        """Hold a value, or the value of a JSON text."""
        text = text_from(value)
        try:
            adopted = self.gene.adopt(value if text is None else json.loads(text))
        except ValueError:
            return None
        return None if adopted is None else JsonTextGene(adopted)

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler values."""
        yield from map(JsonTextGene, self.gene.simpler())


def _spelt(value: object) -> str:
    """Return bytes, which JSON cannot hold, as text."""
    return value.decode("latin1") if isinstance(value, bytes) else str(value)
