"""Genes that choose: values of an enumeration, alternative genes, suggestions, one constant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import Wrong
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.text import text_from
from pytest_evosearch.genes.wrappers import WrapperGene

SUGGESTION_SAMPLE_CHANCE = 0.35
"""How often a sample uses a suggested value: a schema's examples are good first guesses."""


def same(first: object, second: object) -> bool:
    """Say whether two plain values are equal *and* written alike: 1, 1.0 and True all differ."""
    return first is second or repr(first) == repr(second)


@dataclass(frozen=True, eq=False)
class ConstantGene(Gene):
    """One fixed plain value of any kind; equality is by representation."""

    takes_suggestions: ClassVar[bool] = False
    says: ClassVar[int] = 0

    current: object = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstantGene) and same(self.current, other.current)

    def __hash__(self) -> int:
        return hash(repr(self.current))

    def value(self) -> object:
        """Return the constant."""
        return self.current

    def sample(self, rng: Random) -> ConstantGene:
        """Return the gene itself: there is one value."""
        return self

    def mutate(self, rng: Random, strength: float = 0.5) -> ConstantGene:
        """Return the gene itself: there is one value."""
        return self

    def adopt(self, value: object) -> ConstantGene | None:
        """Hold another value instead; numbers become text when the constant is text."""
        if isinstance(self.current, str):
            text = text_from(value)
            return None if text is None else ConstantGene(text)
        return ConstantGene(value)


@dataclass(frozen=True, eq=False)
class EnumGene(Gene):
    """One of the plain values `options`; equality is by representation."""

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.UNKNOWN_OPTION,
        Wrong.EMPTY_TEXT,
        Wrong.NUMBER,
    )
    takes_suggestions: ClassVar[bool] = False
    says: ClassVar[int] = 5

    options: tuple[object, ...] = ()
    index: int = 0
    closed: bool = False
    """Whether no other value can become an option."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EnumGene)
            and self.index == other.index
            and same(self.options, other.options)
        )

    def __hash__(self) -> int:
        return hash((self.index, repr(self.options)))

    def value(self) -> object:
        """Return the chosen option; None when there are no options."""
        return self.options[self.index] if self.options else None

    def sample(self, rng: Random) -> EnumGene:
        """Return any option with equal chances."""
        return replace(self, index=rng.randrange(len(self.options))) if self.options else self

    def mutate(self, rng: Random, strength: float = 0.5) -> EnumGene:
        """Return any other option with equal chances."""
        others = [index for index in range(len(self.options)) if index != self.index]
        return replace(self, index=rng.choice(others)) if others else self

    def adopt(self, value: object) -> EnumGene | None:
        """Choose the option equal to `value`; otherwise add `value`, where this is allowed."""
        for matches in (same, _spelt_alike):
            for index, option in enumerate(self.options):
                if matches(option, value):
                    return replace(self, index=index)
        if self.closed:
            return None
        if self.options and all(isinstance(option, str) for option in self.options):
            value = text_from(value)
            if value is None:
                return None
        return EnumGene((*self.options, value), len(self.options))

    def breakable(self) -> tuple[Wrong, ...]:
        """Return a word that is no option."""
        return (Wrong.UNKNOWN_OPTION,)

    def simpler(self) -> Iterator[Gene]:
        """Yield the first option, unless it is the present one."""
        if self.index:
            yield replace(self, index=0)


def _spelt_alike(option: object, value: object) -> bool:
    text = text_from(value)
    return text is not None and text_from(option) == text


@dataclass(frozen=True)
class ChoiceGene(CompositeGene):
    """One of several genes: ``oneOf``, ``anyOf``, deliberately wrong types."""

    is_wrapper: ClassVar[bool] = True

    alternatives: tuple[Gene, ...] = ()
    index: int = 0

    def value(self) -> object:
        """Return the value of the active alternative; None when there are no alternatives."""
        return self.alternatives[self.index].value() if self.alternatives else None

    def sample(self, rng: Random) -> ChoiceGene:
        """Sample any alternative and make it the active one."""
        if not self.alternatives:
            return self
        return self._activated(rng.randrange(len(self.alternatives)), rng)

    def _activated(self, index: int, rng: Random) -> ChoiceGene:
        alternatives = list(self.alternatives)
        alternatives[index] = alternatives[index].sample(rng)
        return ChoiceGene(tuple(alternatives), index)

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Switch to another alternative with its last value."""
        others = [index for index in range(len(self.alternatives)) if index != self.index]
        return replace(self, index=rng.choice(others)) if others else None

    def adopt(self, value: object) -> Gene | None:
        """Hold `value` in an alternative that needs no conversion, otherwise in any that can."""
        order = [self.index, *(i for i in range(len(self.alternatives)) if i != self.index)]
        converted: Gene | None = None
        for index in order if self.alternatives else ():
            adopted = self.alternatives[index].adopt(value)
            if adopted is None:
                continue
            holding = self._holding(index, adopted)
            if same(adopted.value(), value):
                return holding
            converted = converted or holding
        return converted

    def specificity(self) -> int:
        """Return the specificity of the most general alternative: a union says no more."""
        return min((one.specificity() for one in self.alternatives), default=0)

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge what was seen of an object or array into the alternative that is one."""
        for index, one in enumerate(self.alternatives if known is self else ()):
            if type(one) is type(seen) and isinstance(one, CompositeGene):
                alternatives = (*self.alternatives[:index], one.merged(seen))
                rest = self.alternatives[index + 1 :]
                return replace(self, alternatives=(*alternatives, *rest))
        return super().merge(known, seen)

    def simpler(self) -> Iterator[Gene]:
        """Yield earlier alternatives, then the active one made simpler."""
        for index in range(self.index):
            yield replace(self, index=index)
        if self.alternatives:
            for candidate in self.alternatives[self.index].simpler():
                yield self.with_child(self.index, candidate)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the active alternative under its index."""
        return ((self.index, self.alternatives[self.index]),) if self.alternatives else ()

    def chosen(self) -> Gene:
        """Return the alternative that holds the value."""
        return self.alternatives[self.index] if self.alternatives else self

    def kinds(self) -> tuple[Gene, ...]:
        """Return the alternatives."""
        return self.alternatives

    def described(self, place: Path) -> Gene | None:
        """Return the result of the first alternative that has one."""
        found = (one.described(place) for one in self.alternatives)
        return next((gene for gene in found if gene is not None), None)

    def with_child(self, key: Key, child: Gene) -> ChoiceGene:
        """Return a copy with the alternative `key` replaced."""
        if not isinstance(key, int) or not 0 <= key < len(self.alternatives):
            raise KeyError(key)
        return self._holding(key, child, self.index)

    def _holding(self, place: int, child: Gene, active: int | None = None) -> ChoiceGene:
        """Return a copy with another alternative at a place, which becomes the active one."""
        changed = (*self.alternatives[:place], child, *self.alternatives[place + 1 :])
        return ChoiceGene(changed, place if active is None else active)


@dataclass(frozen=True, eq=False)
class SuggestedGene(WrapperGene):
    """A gene with good guesses for its value: examples and defaults of a schema, seeds of the user.

    The value is that of `gene`, which adopts suggestions, so mutation continues from them.
    Suggestions that `gene` cannot hold are never drawn.
    """

    structure_weight: ClassVar[float] = 0.08
    merge_order: ClassVar[int] = 2

    suggestions: tuple[object, ...] = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SuggestedGene)
            and self.gene == other.gene
            and same(self.suggestions, other.suggestions)
        )

    def __hash__(self) -> int:
        return hash((self.gene, repr(self.suggestions)))

    def value(self) -> object:
        """Return the value of the gene inside."""
        return self.gene.value()

    def _suggested(self, rng: Random) -> SuggestedGene | None:
        if not self.suggestions:
            return None
        adopted = self.gene.adopt(rng.choice(self.suggestions))
        return None if adopted is None else replace(self, gene=adopted)

    def sample(self, rng: Random) -> SuggestedGene:
        """Return a suggested value in about a third of all cases, otherwise any value."""
        suggested = self._suggested(rng) if rng.random() < SUGGESTION_SAMPLE_CHANCE else None
        return suggested or replace(self, gene=self.gene.sample(rng))

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Return to a suggestion."""
        return self._suggested(rng)

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Keep the suggestions of both."""
        return _merged_suggestions(known, seen)


def _merged_suggestions(known: Gene, seen: Gene) -> Gene:
    values: list[object] = []
    inner = []
    for gene in (known, seen):
        suggestions = gene.suggestions if isinstance(gene, SuggestedGene) else ()
        values += [new for new in suggestions if not any(same(new, value) for value in values)]
        inner.append(gene.gene if isinstance(gene, SuggestedGene) else gene)
    merged = inner[0].merged(inner[1])
    if not isinstance(known, SuggestedGene):
        # A suggestion for the less known gene is a better start than any default.
        merged = merged.adopt(values[0]) or merged if values else merged
    return SuggestedGene(merged, tuple(values))
