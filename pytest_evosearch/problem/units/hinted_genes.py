"""Genes from type hints, as `typing.get_type_hints` resolves them."""

from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import fractions
import inspect
import io
import numbers
import os
import pathlib
import re
import types
import typing
import uuid
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.constructed import ConvertedGene
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import TupleGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.text import ANY_TEXT

DEEPEST = 4
"""Levels of nested hints and of objects that need objects; deeper ones are None."""

Make = Callable[[type, int], "Gene | None"]
"""Returns the gene of an object of a class, at a depth; None where nothing makes one."""

ANYTHING = ChoiceGene((ANY_TEXT, IntegerGene(), ArrayGene(IntegerGene()), ConstantGene(None)), 0)
"""The gene of a value of which nothing is known."""

CALLED = EnumGene(
    (
        *map(Returning, (True, None, 5, "hello")),
        *(Named("builtins", one.__name__) for one in (str, int, len)),
    ),
    closed=True,
)
"""The gene of a value that code calls, of which nothing else is known."""

_PATH = ConvertedGene(ANY_TEXT, "path")
_LINES = ConvertedGene(ANY_TEXT, "lines")
_BOUND = NullableGene(IntegerGene())
_SLICE = MadeGene((("", _BOUND), ("", _BOUND)), Named("builtins", "slice"))

_COMPLEX = ConvertedGene(
    TupleGene((("", FloatGene(special=False)), ("", FloatGene(special=False)))), "complex"
)

_BYTES = MadeGene((("", BytesGene()),), Named("io", "BytesIO"))

SCALARS: dict[Any, Gene] = {
    str: ANY_TEXT,
    int: IntegerGene(),
    float: FloatGene(special=False),
    bool: BooleanGene(),
    bytes: BytesGene(),
    bytearray: BytesGene(),
    type(None): ConstantGene(None),
    None: ConstantGene(None),
    object: ANYTHING,
    Any: ANYTHING,
    complex: _COMPLEX,
    decimal.Decimal: ConvertedGene(FloatGene(special=False), "decimal"),
    fractions.Fraction: ConvertedGene(FloatGene(special=False), "fraction"),
    datetime.date: ConvertedGene(DateGene(), "date"),
    datetime.datetime: ConvertedGene(DateTimeGene(), "datetime"),
    datetime.timedelta: MadeGene(
        (("days", IntegerGene()), ("seconds", IntegerGene())), Named("datetime", "timedelta")
    ),
    pathlib.Path: _PATH,
    pathlib.PurePath: _PATH,
    io.StringIO: _LINES,
    io.TextIOBase: _LINES,
    typing.TextIO: _LINES,
    typing.IO: _LINES,
    numbers.Number: IntegerGene(),
    numbers.Integral: IntegerGene(),
    numbers.Rational: ConvertedGene(FloatGene(special=False), "fraction"),
    numbers.Real: FloatGene(special=False),
    numbers.Complex: _COMPLEX,
    typing.SupportsInt: IntegerGene(),
    typing.SupportsIndex: IntegerGene(),
    typing.SupportsFloat: FloatGene(special=False),
    typing.SupportsAbs: FloatGene(special=False),
    typing.SupportsRound: FloatGene(special=False),
    typing.SupportsBytes: BytesGene(),
    collections.abc.Hashable: ANY_TEXT,
    os.PathLike: _PATH,
    slice: _SLICE,
    uuid.UUID: MadeGene((("int", IntegerGene(0, 2**128 - 1)),), Named("uuid", "UUID")),
    datetime.time: MadeGene(
        (("hour", IntegerGene(0, 23)), ("minute", IntegerGene(0, 59))), Named("datetime", "time")
    ),
    re.Pattern: MadeGene((("", ANY_TEXT),), Named("re", "compile")),
    io.BytesIO: _BYTES,
    typing.BinaryIO: _BYTES,
    list: ArrayGene(IntegerGene()),
    dict: ConvertedGene(ArrayGene(TupleGene((("", ANY_TEXT), ("", ANYTHING)))), "pairs"),
    tuple: ConvertedGene(ArrayGene(IntegerGene()), "tuple"),
    set: ConvertedGene(ArrayGene(IntegerGene()), "set"),
    type: ConstantGene(Named("builtins", "int")),
}

STANDARD = {
    f"{kind.__module__}.{kind.__qualname__}": Named(kind.__module__, kind.__qualname__)
    for kind in SCALARS
    if isinstance(kind, type) and kind.__module__ != "builtins"
}
"""Path of a standard class of values -> the class."""

_ITERABLES = (
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    collections.abc.MutableSequence,
    collections.abc.Reversible,
    collections.abc.Sized,
    collections.abc.Container,
)
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_ITERATORS = (collections.abc.Iterator, collections.abc.Generator)
_SETS = (set, collections.abc.Set, collections.abc.MutableSet)
_INTO = ((_SETS, "set"), ((frozenset,), "frozenset"), (_ITERATORS, "iterator"))
"""Kinds that are made of a list, and into what it is converted."""

_LISTED = (list, frozenset, *_SETS, *_ITERATORS)


def gene_of_hint(hint: Any, make: Make, depth: int = 0) -> Gene | None:
    """Return the gene of a hint; None for one that says nothing."""
    if depth > DEEPEST:
        return ConstantGene(None)
    if isinstance(hint, typing.TypeVar):
        allowed = hint.__constraints__ or (int,)
        bound = hint.__bound__ or (str if str in allowed else allowed[0])
        return gene_of_hint(bound, make, depth)
    if isinstance(hint, typing.NewType):
        return gene_of_hint(hint.__supertype__, make, depth)
    try:
        if hint in SCALARS:
            return SCALARS[hint]
    except TypeError:
        return None
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _gene_of_class(hint, make, depth)
    if not inside and origin not in (*_LISTED, *_ITERABLES):
        return SCALARS.get(origin) or _gene_of_class(origin, make, depth)
    return _gene_of_generic(origin, inside, make, depth)


def _gene_of_generic(origin: Any, inside: tuple[Any, ...], make: Make, depth: int) -> Gene | None:
    def gene(hint: Any) -> Gene:
        return gene_of_hint(hint, make, depth + 1) or ANYTHING

    if origin is typing.Annotated:
        return gene_of_hint(inside[0], make, depth)
    if origin is typing.Literal:
        return EnumGene(tuple(inside), closed=True)
    if origin in (typing.Union, types.UnionType):
        hints = [one for one in inside if one is not type(None)]
        if not any(gene_of_hint(one, make, depth + 1) for one in hints):
            return None
        return _gene_of_union([gene(one) for one in inside])
    if origin is tuple:
        if len(inside) == 2 and inside[1] is ...:
            return ConvertedGene(ArrayGene(gene(inside[0])), "tuple")
        return TupleGene(tuple(("", gene(one)) for one in inside))
    if origin in _MAPPINGS:
        key, value = (gene(one) for one in inside[:2])
        return ConvertedGene(ArrayGene(TupleGene((("", key), ("", value)))), "pairs")
    if origin is collections.abc.Callable:
        return ConvertedGene(gene(inside[-1]), "function")
    if origin is type:
        return ConstantGene(_named(inside[0])) if isinstance(inside[0], type) else None
    if origin in _LISTED or origin in _ITERABLES:
        array = ArrayGene(gene(inside[0])) if inside else ArrayGene(IntegerGene())
        into = next((into for kinds, into in _INTO if origin in kinds), "")
        return ConvertedGene(array, into) if into else array
    return SCALARS.get(origin) or _gene_of_class(origin, make, depth)


def _gene_of_union(genes: list[Gene]) -> Gene:
    others = [one for one in genes if one != ConstantGene(None)]
    if not others:
        return ConstantGene(None)
    chosen = others[0] if len(others) == 1 else ChoiceGene(tuple(others), 0)
    return chosen if len(others) == len(genes) else NullableGene(chosen)


def _gene_of_class(hint: Any, make: Make, depth: int) -> Gene | None:
    if hint in _ITERABLES:
        return ArrayGene(IntegerGene())
    if hint in _MAPPINGS:
        return SCALARS[dict]
    if hint in (collections.abc.Callable, typing.Callable):
        return ConvertedGene(ANYTHING, "function")
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint)
        fields = [
            Field(name, gene_of_hint(one, make, depth + 1) or ANYTHING)
            for name, one in hints.items()
        ]
        return ObjectGene(tuple(fields))
    if not isinstance(hint, type):
        return None
    if issubclass(hint, enum.Enum):
        return EnumGene(tuple(_named(hint, one) for one in hint.__members__), closed=True)
    return make(hint, depth)


def gene_of_protocol(kind: type, make: Make, depth: int) -> Gene | None:
    """Return the gene of an object with the attributes and methods of a protocol.

    That of a function for one that is called.  None for a class that is no protocol, and for one
    that wants other special methods.
    """
    bases = [base for base in kind.__mro__ if vars(base).get("_is_protocol")]
    methods = {
        name: value
        for base in bases
        for name, value in vars(base).items()
        if inspect.isfunction(value) and value.__module__ == base.__module__
    }
    if kind in bases and (called := methods.get("__call__")) is not None:
        given = hints_of(called).get("return", Any)
        return ConvertedGene(gene_of_hint(given, make, depth + 1) or ANYTHING, "function")
    if kind not in bases or any(name.startswith("__") for name in methods):
        return None

    def part(hint: Any) -> Gene:
        return gene_of_hint(hint, make, depth + 1) or ANYTHING

    parts = [(name, part(hint)) for name, hint in hints_of(kind).items()]
    for name, method in methods.items():
        parts.append((name, ConvertedGene(part(hints_of(method).get("return")), "function")))
    return MadeGene(tuple(parts), Named("types", "SimpleNamespace"))


def _named(kind: type, member: str = "") -> Named:
    return Named(kind.__module__, f"{kind.__qualname__}.{member}" if member else kind.__qualname__)


def hints_of(function: Any) -> dict[str, Any]:
    """Return the hints of a function or a class that can be resolved."""
    try:
        return typing.get_type_hints(function)
    except Exception:
        return dict(_single_hints(function))


def _single_hints(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the hints that can be resolved, where others name what only type checkers import."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for name, hint in getattr(function, "__annotations__", {}).items():
        alone = types.SimpleNamespace(__annotations__={name: hint})
        with suppress(Exception):
            yield from typing.get_type_hints(alone, names).items()


def is_unknown(gene: Gene) -> bool:
    """Say whether a gene stands for a value of which nothing is known."""
    known = tuple(map(type, getattr(gene, "alternatives", ())))
    return known == tuple(map(type, ANYTHING.alternatives))


def gene_of_default(default: Any, make: Make) -> Gene | None:
    """Return the gene of a parameter with this default, which it holds; None says nothing."""
    if default is inspect.Parameter.empty or default is None:
        return None
    if isinstance(default, enum.Enum):
        gene = gene_of_hint(type(default), make)
        return gene.adopt(_named(type(default), default.name)) if gene is not None else None
    if isinstance(default, type):
        return ConstantGene(_named(default))
    if type(default) in (str, int, float, bool, bytes):
        gene = SCALARS[type(default)]
        return gene.adopt(default) or gene
    if type(default) in (tuple, list) and default:
        if type(default) is list:
            return ArrayGene(gene_of_default(default[0], make) or ANYTHING)
        return TupleGene(tuple(("", gene_of_default(one, make) or ANYTHING) for one in default))
    if type(default) is dict and default and all(isinstance(key, str) for key in default):
        parts = ((key, gene_of_default(one, make) or ANYTHING) for key, one in default.items())
        return ObjectGene(tuple(Field(*part) for part in parts))
    return gene_of_hint(type(default), make)
