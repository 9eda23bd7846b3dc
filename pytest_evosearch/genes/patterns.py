"""Turns a regular expression into a gene tree whose values match it.

The tree consists of ordinary genes: a character class is a text of one character with an alphabet,
a repetition an array, an alternation a choice. `spell` turns it into text.
"""

from __future__ import annotations

import importlib
import re
import string
import sys
import warnings
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from functools import singledispatch
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.characters import PRINTABLE
from pytest_evosearch.genes.characters import simplicity
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.composite import INNER
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.text import TextGene

# The standard library's own parser; it moved in Python 3.11 and has no public name.
_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

LARGEST_TREE = 2000
"""Most genes in the smallest tree of a pattern; ``(a{99}){99}`` is refused."""

LARGEST_RANGE = 128
"""Most characters from one range outside ASCII."""

ASCII_PRINTABLE = "".join(sorted(PRINTABLE))

CATEGORIES = {
    "CATEGORY_DIGIT": string.digits,
    "CATEGORY_WORD": string.ascii_letters + string.digits + "_",
    "CATEGORY_SPACE": " \t",
}


@dataclass(frozen=True)
class SequenceGene(CompositeGene):
    """Parts of a pattern, one after the other."""

    parts: tuple[Gene, ...] = ()

    def value(self) -> str:
        """Return the text, without the texts of references to groups outside."""
        return spell(self)

    def sample(self, rng: Random) -> SequenceGene:
        """Sample every part."""
        return SequenceGene(tuple(part.sample(rng) for part in self.parts))

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the parts under their indices."""
        return tuple(enumerate(self.parts))

    def with_child(self, key: Key, child: Gene) -> SequenceGene:
        """Return a copy with the part `key` replaced."""
        if not isinstance(key, int):
            raise KeyError(key)
        return SequenceGene((*self.parts[:key], child, *self.parts[key + 1 :]))


@dataclass(frozen=True)
class GroupGene(CompositeGene):
    """A numbered group, which references may repeat."""

    number: int = 0
    gene: Gene = SequenceGene()

    def value(self) -> str:
        """Return the text of the group."""
        return spell(self)

    def sample(self, rng: Random) -> GroupGene:
        """Sample the gene inside."""
        return replace(self, gene=self.gene.sample(rng))

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the gene inside."""
        return ((INNER, self.gene),)

    def with_child(self, key: Key, child: Gene) -> GroupGene:
        """Return a copy around another gene."""
        return replace(self, gene=child)


@dataclass(frozen=True)
class ReferenceGene(ConstantGene):
    """A back-reference; `current` is the number of the group that it repeats."""


@dataclass(frozen=True)
class PatternTree:
    """A parsed pattern: the simplest gene tree, and fragments that look-aheads require."""

    body: Gene
    fragments: tuple[Gene, ...]


def spell(gene: Gene, groups: dict[object, str] | None = None) -> str:
    """Return the text of a pattern's gene tree."""
    return _spelt(gene, {} if groups is None else groups)


@singledispatch
def _spelt(gene: Gene, groups: dict[object, str]) -> str:
    return "".join(_spelt(child, groups) for _key, child in gene.children())


@_spelt.register(TextGene)
@_spelt.register(ConstantGene)
def _spelt_by_itself(gene: Gene, _groups: dict[object, str]) -> str:
    return str(gene.value())


@_spelt.register
def _spelt_again(gene: ReferenceGene, groups: dict[object, str]) -> str:
    return groups.get(gene.current, "")


@_spelt.register
def _spelt_group(gene: GroupGene, groups: dict[object, str]) -> str:
    groups[gene.number] = text = _spelt(gene.gene, groups)
    return text


def holding(gene: Gene, text: str) -> Gene | None:
    """Return the tree with `text` in its first repetition of characters that may be these."""
    if isinstance(gene, ArrayGene):
        elements = _elements_of(gene, text)
        return None if elements is None else replace(gene, elements=elements)
    for key, child in gene.children() if not isinstance(gene, ChoiceGene) else ():
        held = holding(child, text)
        if held is not None:
            return gene.with_child(key, held)
    if isinstance(gene, ChoiceGene):
        for index, alternative in enumerate(gene.alternatives):
            held = holding(alternative, text)
            if held is not None:
                others = (*gene.alternatives[:index], held, *gene.alternatives[index + 1 :])
                return replace(gene, alternatives=others, index=index)
    return None


def _elements_of(gene: ArrayGene, text: str) -> tuple[Gene, ...] | None:
    """Return the elements of a repetition that hold `text`: as its characters, or in the first."""
    template = gene.template
    if not isinstance(template, TextGene):
        first = holding(template, text)
        return None if first is None else (first, *gene.elements[1:])
    fits = gene.minimum_length <= len(text) <= (gene.maximum_length or len(text))
    if not fits or not set(text) <= set(template.alphabet or text):
        return None
    return tuple(replace(template, current=character) for character in text)


# A cached pure function: patterns are few, and parsing one takes longer than a mutation.
@lru_cache(maxsize=512)
def parse_pattern(pattern: str) -> PatternTree:
    """Translate `pattern`; raise ValueError when it is malformed, too large or matches nothing."""
    translation = _Translation()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern)
        body = translation.sequence(parsed)
    except (re.error, RecursionError, OverflowError, KeyError) as error:
        raise ValueError(f"unsupported pattern {pattern!r}: {error}") from error
    return PatternTree(body, tuple(translation.fragments))


# A cached pure function; `re` has its own cache, but clears it as a whole and warns again.
@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """Compile `pattern`, or return None when it is malformed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


class _Translation:
    """Walks the result of the standard parser: a sequence of (opcode, argument)."""

    def __init__(self) -> None:
        self.fragments: list[Gene] = []
        self._visitors: Mapping[str, Callable[[Any], Gene]] = {
            "LITERAL": lambda code: ConstantGene(chr(code)),
            "NOT_LITERAL": lambda code: _one_of(_without(chr(code))),
            "ANY": lambda _nothing: _one_of(ASCII_PRINTABLE),
            "IN": lambda items: _one_of(_alphabet(items)),
            "BRANCH": self._branch,
            "SUBPATTERN": self._group,
            "ATOMIC_GROUP": self.sequence,
            "MAX_REPEAT": self._repeat,
            "MIN_REPEAT": self._repeat,
            "POSSESSIVE_REPEAT": self._repeat,
            "GROUPREF": ReferenceGene,
            "GROUPREF_EXISTS": lambda argument: self.sequence(argument[1]),
            "AT": lambda _where: ConstantGene(""),
            "ASSERT": self._assertion,
            "ASSERT_NOT": lambda _argument: ConstantGene(""),
        }

    def sequence(self, items: Iterable[tuple[Any, Any]]) -> Gene:
        parts = [self._visitors[str(opcode)](argument) for opcode, argument in items]
        return parts[0] if len(parts) == 1 else SequenceGene(tuple(_joined(parts)))

    def _branch(self, argument: tuple[Any, Sequence[Any]]) -> Gene:
        alternatives = [self.sequence(branch) for branch in argument[1]]
        # The simplest alternative comes first, because minimisation moves towards index 0.
        alternatives.sort(key=lambda gene: simplicity(spell(gene)))
        return ChoiceGene(tuple(alternatives))

    def _group(self, argument: tuple[Any, int, int, Any]) -> Gene:
        number, _added_flags, _removed_flags, items = argument
        inside = self.sequence(items)
        return inside if number is None else GroupGene(number, inside)

    def _repeat(self, argument: tuple[int, int, Any]) -> Gene:
        least, most, items = argument
        template = self.sequence(items)
        if least * sum(1 for _ in walk(template)) > LARGEST_TREE:
            raise ValueError("pattern too large: too many repetitions")
        maximum = None if most == _parser.MAXREPEAT else int(most)
        return ArrayGene(template, least, maximum, (template,) * least)

    def _assertion(self, argument: tuple[int, Any]) -> Gene:
        direction, items = argument
        if direction > 0:
            # ``(?=.*\d)`` requires a digit somewhere: parts that match anything are dropped.
            wanted = [item for item in items if not _is_anything(item)]
            self.fragments.append(self.sequence(wanted))
        return ConstantGene("")


def _is_anything(item: tuple[Any, Any]) -> bool:
    opcode, argument = item
    if str(opcode) not in {"MAX_REPEAT", "MIN_REPEAT"} or argument[0] > 0:
        return False
    return [str(inner) for inner, _argument in argument[2]] == ["ANY"]


def _joined(parts: list[Gene]) -> Iterable[Gene]:
    """Join neighbouring literals into one gene for each word, instead of one for each letter."""
    literal = ""
    for part in parts:
        if isinstance(part, ConstantGene) and not isinstance(part, ReferenceGene):
            literal += str(part.current)
            continue
        if literal:
            yield ConstantGene(literal)
            literal = ""
        yield part
    if literal:
        yield ConstantGene(literal)


def _one_of(alphabet: str) -> Gene:
    if not alphabet:
        raise ValueError("pattern matches nothing: an empty character class")
    return TextGene(1, 1, alphabet, min(alphabet, key=simplicity))


def _without(excluded: str) -> str:
    return "".join(character for character in ASCII_PRINTABLE if character not in excluded)


def _alphabet(items: Sequence[tuple[Any, Any]]) -> str:
    """Return the characters of a class in the order of their codes; prefer printable ASCII."""
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    members = "".join(_members(str(opcode), argument) for opcode, argument in items)
    if negated:
        return _without(members)
    ordered = "".join(sorted(dict.fromkeys(members)))
    printable = "".join(character for character in ordered if character in ASCII_PRINTABLE)
    return printable or ordered


def _members(opcode: str, argument: Any) -> str:
    if opcode == "LITERAL":
        return chr(argument)
    if opcode == "RANGE":
        first, last = argument
        return "".join(map(chr, range(first, min(last, first + LARGEST_RANGE) + 1)))
    if opcode == "CATEGORY":
        name = str(argument)
        positive = CATEGORIES[name.replace("_NOT_", "_")]
        return _without(positive) if "_NOT_" in name else positive
    return ""
