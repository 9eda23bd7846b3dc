"""Arrays: any number of values made after one template."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from itertools import cycle
from itertools import islice

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.composite import simpler_children
from pytest_evosearch.genes.text import ANY_TEXT
from pytest_evosearch.genes.text import text_from

USUAL_LENGTH = 3
"""Elements that a sample has beyond the minimum, at most; the rare long one doubles it."""

MANY_ELEMENTS = 20
"""Elements that are drawn for a sample; a longer list has these again, where it may.

A list of a thousand objects that each are drawn took seconds for every sample.
"""

UNIQUE_ATTEMPTS = 10
"""Tries to draw an element that is not there yet."""

ATTEMPTS = 8
"""Mutations until a joined text reads differently."""

Elements = tuple[Gene, ...]


@dataclass(frozen=True)
class ArrayGene(CompositeGene):
    """A list whose elements are made after `template`; lengths are in elements."""

    template: Gene = ANY_TEXT
    minimum_length: int = 0
    maximum_length: int | None = None
    elements: Elements = ()
    unique: bool = field(default=False, kw_only=True)

    def value(self) -> list[object]:
        """Return the values of the elements that are present."""
        values = [element.value() for element in self.elements]
        return [value for value in values if value is not ABSENT]

    def allows_length(self, length: int) -> bool:
        """Say whether `length` elements keep the constraints."""
        return length >= self.minimum_length and (
            self.maximum_length is None or length <= self.maximum_length
        )

    def sample(self, rng: Random) -> ArrayGene:
        """Return a short list of samples of the template."""
        extra = rng.randint(0, USUAL_LENGTH * (2 if rng.random() < 0.05 else 1))
        length = self.minimum_length + extra
        if self.maximum_length is not None:
            length = min(length, self.maximum_length)
        elements: Elements = ()
        for _ in range(length if self.unique else min(length, MANY_ELEMENTS)):
            elements += self._drawn(elements, rng)
        if not self.unique:
            elements = tuple(islice(cycle(elements), length))
        return replace(self, elements=elements)

    def _drawn(self, elements: Elements, rng: Random) -> Elements:
        """Draw one element that may join `elements`; nothing when no unique one is found."""
        if not self.unique:
            return (self.template.sample(rng),)
        present = [element.value() for element in elements]
        for _ in range(UNIQUE_ATTEMPTS):
            drawn = self.template.sample(rng)
            if not any(same(drawn.value(), value) for value in present):
                return (drawn,)
        return ()

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Insert, delete, duplicate, swap or, when bold, empty; whichever is possible first."""
        operations: list[Callable[[Random], Elements]] = [self._inserted, self._inserted]
        operations += [self._shortened, self._shortened, self._swapped]
        if not self.unique:
            operations.append(self._duplicated)
        if rng.random() < strength:
            operations.append(self._emptied)
        rng.shuffle(operations)
        for operation in operations:
            elements = operation(rng)
            if elements != self.elements and self.allows_length(len(elements)):
                return replace(self, elements=elements)
        return None

    def _inserted(self, rng: Random) -> Elements:
        at = rng.randint(0, len(self.elements))
        return (*self.elements[:at], *self._drawn(self.elements, rng), *self.elements[at:])

    def _shortened(self, rng: Random) -> Elements:
        at = rng.randrange(len(self.elements)) if self.elements else 0
        return self.elements[:at] + self.elements[at + 1 :]

    def _duplicated(self, rng: Random) -> Elements:
        at = rng.randrange(len(self.elements)) if self.elements else 0
        return self.elements[: at + 1] + self.elements[at:]

    def _swapped(self, rng: Random) -> Elements:
        elements = list(self.elements)
        if len(elements) > 1:
            first, second = rng.sample(range(len(elements)), 2)
            elements[first], elements[second] = elements[second], elements[first]
        return tuple(elements)

    def _emptied(self, rng: Random) -> Elements:
        return self.elements[: self.minimum_length]

    def adopt(self, value: object) -> Gene | None:
        """Hold a list; elements that the template cannot hold get a gene of their own type."""
        if not isinstance(value, (list, tuple)):
            return None
        # Imported late: inference builds arrays.
        from pytest_evosearch.genes.inference import gene_for

        adopted = [self.template.adopt(item) or gene_for(item) for item in value]
        return replace(self, elements=tuple(adopted))

    def simpler(self) -> Iterator[Gene]:
        """Yield shorter lists, the shortest first, then lists with one simpler element."""
        for elements in self._shorter():
            yield replace(self, elements=elements)
        yield from simpler_children(self)

    def _shorter(self) -> Iterator[Elements]:
        length = len(self.elements)
        if length <= self.minimum_length:
            return
        yield self.elements[: self.minimum_length]
        removed = length // 2
        while removed > 1:
            if length - removed > self.minimum_length:
                yield self.elements[: length - removed]
                yield self.elements[removed:]
            removed //= 2
        if length - 1 > self.minimum_length or self.minimum_length:
            for at in range(length):
                yield self.elements[:at] + self.elements[at + 1 :]

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the elements under their indices."""
        return tuple(enumerate(self.elements))

    def with_child(self, key: Key, child: Gene) -> ArrayGene:
        """Return a copy with the element `key` replaced."""
        if not isinstance(key, int) or not 0 <= key < len(self.elements):
            raise KeyError(key)
        return replace(self, elements=(*self.elements[:key], child, *self.elements[key + 1 :]))


@dataclass(frozen=True)
class JoinedGene(Gene):
    """An array written into one text: ``1,2,3``.  To its surroundings a leaf, as texts are."""

    separator: str = ","
    array: ArrayGene = ArrayGene()

    def value(self) -> str:
        """Return the elements as texts, joined."""
        return self.separator.join(_spelt(value) for value in self.array.value())

    def sample(self, rng: Random) -> JoinedGene:
        """Sample the array."""
        return replace(self, array=self.array.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Mutate the array; what reads the same (``[]`` and ``[""]``) counts as the same."""
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
