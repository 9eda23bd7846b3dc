"""The base of texts with a format: dates, e-mails, patterns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import characters
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextualGene

ATTEMPTS = 12
"""Random attempts to change the present text."""

MALFORMED_CHANCE = 0.03
"""How often a mutation breaks the format: every parser has a branch for that."""


class FormattedGene(TextualGene):
    """A text that is usually well-formed; malformed ones can be held and are sometimes made."""

    @abstractmethod
    def is_well_formed(self, text: str) -> bool:
        """Say whether `text` keeps the format."""

    @abstractmethod
    def draw(self, rng: Random) -> str:
        """Return a random well-formed text."""

    @abstractmethod
    def vary(self, rng: Random, strength: float) -> str:
        """Return a well-formed neighbour of the present text, which must be well-formed."""

    def simplest(self) -> str:
        """Return the most readable well-formed text: that of a new gene."""
        return type(self).current

    def malformed(self) -> tuple[str, ...]:
        """Return texts that almost have the format, or are far from it."""
        return ()

    def sample(self, rng: Random) -> Gene:
        """Return a random well-formed text."""
        return self.holding(self.draw(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Return a well-formed neighbour, rarely a fresh or a malformed text."""
        for _ in range(ATTEMPTS):
            text = self._changed(rng, strength)
            if text != self.current:
                return self.holding(text)
        return self if self.current == self.simplest() else self.holding(self.simplest())

    def _changed(self, rng: Random, strength: float) -> str:
        kind = rng.random()
        broken = self.malformed()
        if broken and kind < MALFORMED_CHANCE:
            return rng.choice(broken)
        if not self.is_well_formed(self.current):
            # A broken text was chosen or adopted for a reason: stay near it half of the time.
            if kind < 0.5:
                return self.draw(rng)
            return characters.vary_text(self.current, rng, strength)
        return self.draw(rng) if kind < 0.1 else self.vary(rng, strength)

    def simpler(self) -> Iterator[Gene]:
        """Yield the simplest text, then shorter well-formed ones, or any simpler one if broken.

        A readable address is not shortened.
        """
        if self.current == self.simplest():
            return
        yield self.holding(self.simplest())
        if characters.is_readable_address(self.current):
            return
        keeps_format = self.is_well_formed(self.current)
        for text in characters.simpler_texts(self.current):
            shorter = len(text) < len(self.current) and self.is_well_formed(text)
            if text != self.simplest() and (shorter or not keeps_format):
                yield self.holding(text)
