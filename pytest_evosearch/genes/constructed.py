"""Values that only code can make: the result of a call, a name of a module, a function.

A gene tree has plain values, so such a value is a *recipe* until it is used: `built` makes the real
object, and a written test contains the recipe as code.  Recipes can be pickled, compared, and
turned into JSON.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.composite import CompositeGene


@dataclass(frozen=True)
class Named:
    """Something that a module holds under a name: a class, a function, a member of an enum."""

    module: str
    name: str
    """The qualified name, such as ``Colour.RED``."""


@dataclass(frozen=True)
class Made:
    """The result of a call."""

    function: Named
    arguments: tuple[object, ...] = ()
    keywords: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Returning:
    """A function that takes anything and returns one value."""

    result: object = None


def resolved(named: Named) -> object:
    """Return the object that a name stands for."""
    found: object = importlib.import_module(named.module)
    for part in named.name.split("."):
        found = getattr(found, part)
    return found


def is_held(named: Named) -> bool:
    """Say whether a name stands for something: a module may have deleted it, or renamed it."""
    try:
        resolved(named)
    except (ImportError, AttributeError):
        return False
    return True


def built(value: object) -> object:
    """Return the real value of a recipe; containers are always new."""
    if isinstance(value, Named):
        return resolved(value)
    if isinstance(value, Made):
        function: Any = resolved(value.function)
        keywords = {name: built(one) for name, one in value.keywords}
        return function(*map(built, value.arguments), **keywords)
    if isinstance(value, Returning):
        result = value.result
        return lambda *_arguments, **_keywords: built(result)
    if type(value) in (list, tuple, set, frozenset):
        kind: Any = type(value)
        return kind(map(built, value))  # type: ignore[call-overload]
    if type(value) is dict:
        return {built(key): built(one) for key, one in value.items()}
    return value


def recipes_in(value: object) -> Iterator[Named | Made | Returning]:
    """Yield every recipe inside a value, the outer ones first."""
    if isinstance(value, (Named, Made, Returning)):
        yield value
    if isinstance(value, Made):
        for one in (*value.arguments, *(given for _name, given in value.keywords)):
            yield from recipes_in(one)
    elif isinstance(value, Returning):
        yield from recipes_in(value.result)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from recipes_in(key)
            yield from recipes_in(one)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from recipes_in(one)


@dataclass(frozen=True)
class PartsGene(CompositeGene):
    """A value of a fixed number of parts."""

    says: ClassVar[int] = 6

    parts: tuple[tuple[str, Gene], ...] = ()
    """Name and gene of each part; a part without a name has an empty one."""

    def _values(self) -> list[tuple[str, object]]:
        values = [(name, gene.value()) for name, gene in self.parts]
        return [(name, value) for name, value in values if value is not ABSENT]

    def sample(self, rng: Random) -> PartsGene:
        """Sample each part."""
        return replace(self, parts=tuple((name, gene.sample(rng)) for name, gene in self.parts))

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the parts under their indices."""
        return tuple(enumerate(gene for _name, gene in self.parts))

    def with_child(self, key: Key, child: Gene) -> Gene:
        """Return a copy with the part `key` replaced."""
        if not isinstance(key, int) or not 0 <= key < len(self.parts):
            raise KeyError(key)
        changed = (self.parts[key][0], child)
        return replace(self, parts=(*self.parts[:key], changed, *self.parts[key + 1 :]))


@dataclass(frozen=True)
class TupleGene(PartsGene):
    """A tuple of a fixed length."""

    def value(self) -> tuple[object, ...]:
        """Return the tuple."""
        return tuple(value for _name, value in self._values())

    def adopt(self, value: object) -> Gene | None:
        """Hold a tuple of this length."""
        if not isinstance(value, tuple) or len(value) != len(self.parts):
            return None
        adopted = [
            (name, gene.adopt(one)) for (name, gene), one in zip(self.parts, value, strict=True)
        ]
        if any(gene is None for _name, gene in adopted):
            return None
        return replace(self, parts=tuple((name, gene) for name, gene in adopted if gene))


@dataclass(frozen=True)
class MadeGene(PartsGene):
    """The result of a call with these arguments; parts with a name are keywords.

    The elements of the part ``*`` are arguments, too.
    """

    function: Named = Named("builtins", "object")

    def value(self) -> Made:
        """Return the recipe of the call."""
        positional: list[object] = []
        keywords: list[tuple[str, object]] = []
        for name, value in self._values():
            if name == "*" and isinstance(value, list):
                positional += value
            elif name:
                keywords.append((name, value))
            else:
                positional.append(value)
        return Made(self.function, tuple(positional), tuple(keywords))


@dataclass(frozen=True)
class ConvertedGene(CompositeGene):
    """The value of another gene, converted: a set of a list, a `Decimal` of a number."""

    gene: Gene
    into: str = "tuple"
    """``tuple``, ``set``, ``frozenset``, ``pairs``, ``iterator``, ``decimal``, ``moment`` ..."""

    def value(self) -> object:
        """Return the converted value."""
        return _CONVERSIONS[self.into](self.gene.value())

    def sample(self, rng: Random) -> Gene:
        """Sample the gene inside."""
        return self._around(self.gene.sample(rng)) or self

    def adopt(self, value: object) -> Gene | None:
        """Hold a real value of the converted type."""
        adopted = self.gene.adopt(_taken_back(value))
        return None if adopted is None else self._around(adopted)

    def simpler(self) -> Iterator[Gene]:
        """Yield conversions of simpler values."""
        return (one for gene in self.gene.simpler() if (one := self._around(gene)) is not None)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the gene inside."""
        return (("*", self.gene),)

    def with_child(self, key: Key, child: Gene) -> Gene:
        """Return a copy around another gene; the gene itself where its value has no conversion."""
        return self._around(child) or self

    def _around(self, gene: Gene) -> Gene | None:
        """Return a copy around another gene; None where its value cannot be converted."""
        converted = replace(self, gene=gene)
        try:
            converted.value()
        except (ValueError, TypeError, LookupError):
            return None
        return converted


def _hashable(values: Sequence[object]) -> list[object]:
    return [one for one in values if getattr(type(one), "__hash__", None)]


def _pairs(values: Sequence[Sequence[object]]) -> dict[object, object]:
    return {pair[0]: pair[1] for pair in values}


_ZONE = re.compile(r"[.Z+-]")
"""What follows the seconds of a time: their fraction, or the zone."""


def _date(text: object) -> Made:
    day = str(text).replace(" ", "T").partition("T")[0]
    return Made(Named("datetime", "date"), tuple(int(part) for part in day.split("-")))


def _datetime(text: object) -> Made:
    """Return the recipe of a moment; a text without a time is midnight."""
    time = str(text).replace(" ", "T").partition("T")[2] or "0"
    clock = [int(part) for part in _ZONE.split(time)[0].split(":")]
    while not clock[-1] and len(clock) > 1:
        clock.pop()
    return Made(Named("datetime", "datetime"), (*_date(text).arguments, *clock))


_CONVERSIONS: Mapping[str, Callable[[Any], object]] = {
    "tuple": lambda value: tuple(value),
    "set": lambda value: set(_hashable(value)),
    "frozenset": lambda value: frozenset(_hashable(value)),
    "pairs": _pairs,
    "iterator": lambda value: Made(Named("builtins", "iter"), (value,)),
    "decimal": lambda value: Made(Named("decimal", "Decimal"), (str(value),)),
    "fraction": lambda value: Made(Named("fractions", "Fraction"), (str(value),)),
    "date": _date,
    "datetime": _datetime,
    "path": lambda value: Made(Named("pathlib", "Path"), (value,)),
    "lines": lambda value: Made(Named("io", "StringIO"), (value,)),
    "function": Returning,
    "complex": lambda value: complex(*value),
}


def _taken_back(value: Any) -> object:
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__name__ in ("Decimal", "Fraction"):
        return float(value)
    if isinstance(value, dict):
        return [(key, one) for key, one in value.items()]
    return value
