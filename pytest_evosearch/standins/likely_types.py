"""Weighs the evidence on one value: which type has all that was asked, and most that shows it."""

from __future__ import annotations

import datetime
import decimal
import dis
import fractions
import io
import pathlib
import re
from collections.abc import Iterable
from collections.abc import Mapping

from pytest_evosearch.standins.argument_names import kind_of_name
from pytest_evosearch.standins.asked import Node

TYPES: Mapping[str, type] = {
    **{kind.__name__: kind for kind in (str, list, int, float, dict, tuple, set, bytes, bool)},
    **{kind.__name__: kind for kind in (datetime.date, datetime.datetime, datetime.timedelta)},
    **{kind.__name__: kind for kind in (decimal.Decimal, fractions.Fraction, complex)},
    "StringIO": io.StringIO,
    "Path": pathlib.Path,
    "Pattern": re.Pattern,
    slice.__name__: slice,
}
"""Types that a value without a class of its own can have, the usual ones first."""

_NEEDED = {
    "iterate": ("__iter__",),
    "index": ("__getitem__",),
    "slice": ("__getitem__",),
    "key": ("keys",),
    "item": ("__getitem__",),
    "store": ("__setitem__",),
    "length": ("__len__",),
    "contain": ("__contains__",),
    "call": ("__call__",),
    "with": ("__enter__",),
    "next": ("__next__",),
    "number": ("__add__",),
    "fraction": ("__truediv__",),
    "whole": ("__floordiv__",),
    "bits": ("__and__",),
    "rest": ("__mod__",),
    "compare": ("__lt__",),
}
"""What was asked -> the attributes that a type then has."""

_PRIOR: Mapping[str, Mapping[str, float]] = {
    "iterate": {"list": 1.2, "str": 0.5, "tuple": 0.4, "dict": 0.2, "set": 0.3},
    "index": {"list": 1.0, "str": 0.8, "tuple": 0.7, "dict": -1.0, "bytes": 0.2},
    "slice": {"str": 1.0, "list": 0.9, "bytes": 0.2, "dict": -3.0},
    "store": {"list": 1.0, "dict": 0.9},
    "item": {"dict": 1.0, "list": 0.8},
    "length": {"list": 0.6, "str": 0.6},
    "contain": {"list": 0.8, "str": 0.6, "dict": 0.6, "set": 0.5},
    "number": {"int": 1.2, "float": 1.1, "str": -0.5, "list": -0.5},
    "fraction": {"float": 1.5, "int": 0.9, "Path": -1.0},
    "whole": {"int": 1.5, "float": 0.5},
    "bits": {"int": 1.2, "set": 0.6, "bool": -1.0},
    "rest": {"int": 1.0, "float": 0.6, "str": 0.2},
    "compare": {"int": 0.8, "float": 0.7, "str": 0.3},
    "truth": {"bool": 0.4},
    "format": {"str": 0.4, "int": 0.2},
    "hash": {"str": 0.4},
    "equal": {"str": 0.1},
}
"""How much an operation speaks for a type, before anything else is known."""

NAME_WEIGHT = 1.2
"""Weight of the name of an argument: less than one clear use."""

LEAST = 0.3
"""Least weight for a guess; below it, a stand-in is given once more."""


def likeliest(node: Node, classes: Iterable[type] = ()) -> tuple[str, type | None]:
    """Return the type that the evidence shows, and its class where `classes` has it.

    The type is ``class`` then, ``object`` for something with attributes that no known type has, and
    empty where nothing is shown.
    """
    if node.classes:
        named = _of_isinstance(node)
        if named is not None:
            return named
    attributes = _attributes(node)
    if attributes and not any(_has(kind, attributes) for kind in TYPES.values()):
        return _class_with(node, attributes, classes)
    if node.asked["call"] and "function" not in node.refuted:
        return "function", None
    weights = {
        kind: _weight(node, kind)
        for kind, real in TYPES.items()
        if kind not in node.refuted and _has(real, attributes) and _can(node, kind, real)
    }
    if "function" not in node.refuted and not attributes:
        weights["function"] = node.votes["function"] + _weight_of_name(node, "function")
    if not weights:
        return ("object", None) if attributes or node.asked else ("", None)
    best = max(weights, key=lambda kind: weights[kind])
    return (best, None) if weights[best] >= LEAST or attributes else ("", None)


def _of_isinstance(node: Node) -> tuple[str, type | None] | None:
    for kind in node.classes:
        name = next((name for name, real in TYPES.items() if real is kind), "")
        if name and name not in node.refuted and _has(kind, _attributes(node)):
            node.vote(name, 0.0)
            continue
        if not name and f"class {kind.__qualname__}" not in node.refuted:
            if getattr(kind, "__abstractmethods__", None) or kind.__module__ == "typing":
                continue
            return "class", kind
    return None


def _attributes(node: Node) -> set[str]:
    return {operation[1:] for operation in node.asked if operation.startswith(".")}


def _has(kind: type, attributes: Iterable[str]) -> bool:
    return all(hasattr(kind, name) for name in attributes)


def _can(node: Node, kind: str, real: type) -> bool:
    if node.items and kind != "dict":
        return False
    if node.arity and kind not in ("tuple", "list", "str"):
        return False
    for operation, needed in _NEEDED.items():
        if node.asked[operation] and not _has(real, needed):
            is_text = operation in ("number", "whole") and kind == "str"
            if not is_text:
                return False
    return not (node.asked["number"] and kind == "bool")


def _weight(node: Node, kind: str) -> float:
    weight = float(node.votes[kind])
    for operation, prior in _PRIOR.items():
        if node.asked[operation]:
            weight += prior.get(kind, 0.0)
    if node.arity and kind == "tuple":
        weight += 2
    weight += _weight_of_name(node, kind)
    if any(operation.startswith(".") for operation in node.asked):
        weight += 0.1 if kind in ("str", "list", "dict") else 0.0
    return weight


def _weight_of_name(node: Node, kind: str) -> float:
    """Return what the name says; a single letter names anything, where nothing else is known."""
    is_telling = len(node.name) > 1 or node.uses > 0
    return NAME_WEIGHT if kind_of_name(node.name) == kind and is_telling else 0.0


def _class_with(
    node: Node, attributes: set[str], classes: Iterable[type]
) -> tuple[str, type | None]:
    """Return the class of the code that has all attributes, otherwise ``object``."""
    fitting = [
        kind
        for kind in classes
        if f"class {kind.__qualname__}" not in node.refuted and attributes <= _members(kind)
    ]
    if not fitting:
        return "object", None
    return "class", min(fitting, key=lambda kind: len(_members(kind)))


def _members(kind: type) -> set[str]:
    """Return the attributes of a class, and those that its constructor sets."""
    found = set(dir(kind)) | set(getattr(kind, "__annotations__", ()))
    for base in kind.__mro__:
        found |= set(getattr(base, "__annotations__", ()))
        code = getattr(vars(base).get("__init__"), "__code__", None)
        instructions = dis.get_instructions(code) if code is not None else ()
        found |= {one.argval for one in instructions if one.opname == "STORE_ATTR"}
    return found
