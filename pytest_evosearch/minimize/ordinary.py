"""Puts ordinary values in the place of the smallest ones: ``"hello world"`` instead of ``"a"``.

The smallest value that covers a branch is mostly one that says little: code that trims, counts or
joins does nothing to ``"a"``, ``0`` and ``[]``.  So once a test is short, each of its values is
replaced by the first ordinary one with which the test keeps its worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.characters import WORDS
from pytest_evosearch.genes.characters import with_plain_digits
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.constructed import TupleGene
from pytest_evosearch.genes.example import ANY
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.reducible import Reducible

TEXTS = ("hello world", "Red Blue", *(word for word in WORDS if len(word) == 5))
PATH = "/hello"
"""A text for code that takes no ordinary one: many texts begin with a slash."""

NUMBERS = (3, 12, 5, 20)
FRACTIONS = (2.5, 0.75, 4.25)

MOST_VALUES = 20
"""Most values of one test that are replaced without a look at the result."""

LARGEST_ORDINARY = 20
"""Numbers from 2 to this one are ordinary."""

T = TypeVar("T", bound=Reducible)


def ordinary_variants(test: T) -> Iterator[T]:
    """Yield variants of a test with nothing but ordinary values."""
    for first in range(len(TEXTS)):
        yield with_ordinary_values(test, lambda _variant: True, MOST_VALUES, first)
    for place, path in _places(test):
        gene: Gene = dict(test.genes())[place]
        leaf = dict(walk(gene)).get(path)
        for one in _plainly_spelled(leaf) if isinstance(leaf, TextGene) else ():
            yield test.with_gene(place, replaced(gene, path, one))


def with_ordinary_values(
    test: T,
    keeps: Callable[[T], bool],
    limit: int,
    first: int = 0,
    usual: Callable[[T, Any], Usual] | None = None,
) -> T:
    """Return the test with ordinary values where `keeps` accepts them, in at most `limit` trials.

    Values differ, also those that are ordinary already, so that one cannot be mistaken for another;
    `first` is the number of the first.
    `usual` returns what people would pass at a place, which is preferred.
    """
    left = limit
    for number, (place, path) in enumerate(list(_places(test)), first):
        gene: Gene = dict(test.genes())[place]
        leaf = dict(walk(gene)).get(path)
        known = usual(test, place) if usual is not None and not path else ANY
        beside = _values_beside(test, place)
        for one in () if leaf is None else _ordinary(leaf, number, known, beside):
            candidate = test.with_gene(place, replaced(gene, path, one))
            left -= 1
            if left < 0:
                return test
            if keeps(candidate):
                test = candidate
                break
    return test


_REPLACED = (TextGene, IntegerGene, FloatGene, ArrayGene, ChoiceGene)


def _places(test: Reducible) -> Iterator[tuple[Any, Path]]:
    for place, gene in test.genes():
        for path, leaf in walk(gene):
            if isinstance(leaf, _REPLACED):
                yield place, path


def _values_beside(test: Reducible, place: Any) -> list[object]:
    """Return the values in all other arguments of a test."""
    others = (gene for at, gene in test.genes() if at != place)
    leaves = (leaf for gene in others for _path, leaf in walk(gene) if isinstance(leaf, _REPLACED))
    return [leaf.value() for leaf in leaves]


def _ordinary(leaf: Gene, number: int, usual: Usual, beside: Sequence[object]) -> Iterator[Gene]:
    """Yield the gene with ordinary values, unless it has one that no other argument has."""
    value = leaf.value()
    if value in usual.values:
        return
    yield from _adopted(leaf, [one for one in usual.values if type(one) is type(value)])
    if isinstance(value, str) and not usual.takes_any_text:
        return
    is_own = value not in beside
    if isinstance(leaf, ArrayGene):
        others = [one for one in _filled(leaf) if one not in beside] or _filled(leaf)[:1]
        yield from _adopted(leaf, () if value and is_own else others)
    elif isinstance(leaf, ChoiceGene):
        is_text = type(value) is str
        yield from _adopted(leaf, () if is_text else _turned(TEXTS, number)[:1])
    elif isinstance(leaf, TextGene):
        if value not in TEXTS or not is_own:
            yield from _adopted(leaf, (*_turned(TEXTS, number), PATH))
            yield from _plainly_spelled(leaf)
    elif type(value) is int:
        is_ordinary = is_own and 2 <= value <= LARGEST_ORDINARY
        yield from _adopted(leaf, () if is_ordinary else _turned(NUMBERS, number))
    elif type(value) is float:
        is_ordinary = is_own and math.isfinite(value) and 0.5 <= abs(value) <= LARGEST_ORDINARY
        yield from _adopted(leaf, () if is_ordinary else _turned(FRACTIONS, number))


def _plainly_spelled(leaf: TextGene) -> Iterator[Gene]:
    plain = with_plain_digits(leaf.current)
    yield from _adopted(leaf, [plain] if plain != leaf.current else [])


def _filled(array: ArrayGene) -> Sequence[object]:
    if isinstance(array.template, TextGene):
        return ["one", "two", "three"], ["red", "blue"], ["green", "one"]
    if isinstance(array.template, IntegerGene):
        return [3, 1, 2], [12, 5], [7, 20]
    if isinstance(array.template, TupleGene) and len(array.template.parts) == 2:
        return [("one", 1), ("two", 2)], [("two", 12), ("three", 3)]
    return ([2.5, 0.5], [0.75]) if isinstance(array.template, FloatGene) else ()


def _turned(values: Sequence[object], number: int) -> Sequence[object]:
    at = number % len(values)
    return (*values[at:], *values[:at])


def _adopted(leaf: Gene, values: Sequence[object]) -> Iterator[Gene]:
    for value in values:
        adopted = leaf.adopt(value)
        if adopted is not None:
            yield adopted
