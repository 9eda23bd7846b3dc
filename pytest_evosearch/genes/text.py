"""Texts: any characters, bounded lengths; and the base of every gene whose value is text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import characters
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Wrong

ATTEMPTS = 12
"""Random attempts to change the present text before a neighbour is used."""


def text_from(value: object) -> str | None:
    """Return `value` as a client would send it, or None when it is no scalar."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return None


class TextualGene(Gene):
    """A gene whose value is a text, and which can hold any text, well-formed or not.

    Subclasses are frozen dataclasses with a field `current: str`.
    """

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.EMPTY_TEXT,
        Wrong.NUMBER,
        Wrong.TOO_LONG,
        Wrong.TOO_SHORT,
        Wrong.LIST_AROUND,
    )

    current: str

    def value(self) -> str:
        """Return the text."""
        return self.current

    def holding(self, text: str) -> Gene:
        """Return a copy that holds any `text`."""
        changed: dict[str, Any] = {"current": text}
        return replace(self, **changed)

    def breakable(self) -> tuple[Wrong, ...]:
        """Return the limits of the length, if there are any."""
        least, most = self.lengths()
        shorter = (Wrong.TOO_SHORT,) if least > 1 else ()
        longer = (Wrong.TOO_LONG,) if most is not None else ()
        return (*shorter, *longer)

    def adopt(self, value: object) -> Gene | None:
        """Hold any text, and numbers and booleans as a client would write them."""
        text = text_from(value)
        return None if text is None else self.holding(text)


@dataclass(frozen=True)
class TextGene(TextualGene):
    """Any text; lengths are in characters, `alphabet` lists the allowed characters (None: any)."""

    minimum_length: int = 0
    maximum_length: int | None = None
    alphabet: str | None = None
    current: str = ""

    def sample(self, rng: Random) -> Gene:
        """Return a text that is mostly short and readable."""
        return self.holding(
            characters.draw_text(rng, self.minimum_length, self.maximum_length, self.alphabet)
        )

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Change, insert, delete, append, duplicate, swap or truncate; sometimes resample."""
        for _ in range(ATTEMPTS):
            text = self._varied(rng, strength)
            if text != self.current:
                return self.holding(text)
        for text in (self.current + self._fallback_character(), self.current[:-1]):
            if text != self.current and self.allows_length(len(text)):
                return self.holding(text)
        return self

    def _varied(self, rng: Random, strength: float) -> str:
        if rng.random() < 0.03 + 0.05 * strength:
            return characters.draw_text(
                rng, self.minimum_length, self.maximum_length, self.alphabet
            )
        text = characters.vary_text(self.current, rng, strength, self.alphabet)
        return characters.fit_length(
            text, self.minimum_length, self.maximum_length, rng, self.alphabet
        )

    def _fallback_character(self) -> str:
        return self.alphabet[0] if self.alphabet else "a"

    def lengths(self) -> tuple[int, int | None]:
        """Return the lengths in characters."""
        return self.minimum_length, self.maximum_length

    def specificity(self) -> int:
        """Return a higher value for a text with limits, or of a special kind."""
        return 1 if self == TextGene(current=self.current) else 2

    def simpler(self) -> Iterator[Gene]:
        """Yield shorter and plainer texts of allowed length; a letter before the empty text."""
        if not self.current and self.maximum_length == 0:
            return
        for text in characters.simpler_words(self.current, self.minimum_length, self.alphabet):
            yield self.holding(text)


ANY_TEXT = TextGene()
"""The assumed gene of a value when nothing is known."""
