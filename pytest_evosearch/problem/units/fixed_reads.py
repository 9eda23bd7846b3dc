"""What code reads from the clock and from chance, and what tests give it instead.

A test of code that calls ``date.today()`` ends differently tomorrow.  People fix what it reads by
`monkeypatch`; so the value is one more argument, under the path of what is replaced.
"""

from __future__ import annotations

import ast
import datetime
import inspect
import random
import re
import sys
import time
import uuid
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.code_uses import meant
from pytest_evosearch.problem.units.code_uses import nodes_of
from pytest_evosearch.problem.units.code_uses import uses_of

DEEPEST = 2
"""Levels of functions of the same module that a unit calls and that are read, too."""

_MOMENTS = ((2024, 1, 31, 12, 30), (2023, 7, 1, 8, 0), (2024, 12, 25, 23, 45))
_LEAST, _MOST = Named("builtins", "min"), Named("builtins", "max")
_FIRST, _LAST = (Made(Named("operator", "itemgetter"), (at,)) for at in (0, -1))
_UUID = Made(Named("uuid", "UUID"), ("12345678123456781234567812345678",))

_REPLACED: Mapping[Any, tuple[object, ...]] = {
    time.time: (Returning(1_700_000_000.0), Returning(0.0)),
    random.random: (Returning(0.5), Returning(0.0), Returning(0.99)),
    random.Random.choice: (_FIRST, _LAST),
    random.Random.randint: (_LEAST, _MOST),
    random.Random.uniform: (_LEAST, _MOST),
    uuid.uuid4: (Returning(_UUID),),
}
"""Function, also as a method of a hidden object -> what tests put in its place."""

_MOMENT_CLASSES = (datetime.datetime, datetime.date)

_CLOCK = re.compile("(utc)?now|today")
"""Methods of dates that read the clock: their class is written in C, and is replaced as a whole."""


def reads_of(function: Any, depth: int = 0) -> dict[str, EnumGene]:
    """Return the paths of what a function reads from the clock or from chance, with genes.

    A class stays where the code asks by `isinstance` whether something is one: only an object of
    the class in its place would be.
    """
    found: dict[str, EnumGene] = {}
    asked = {kind for kinds in uses_of(function).kinds.values() for kind in kinds}
    module = getattr(inspect.unwrap(function), "__module__", "")
    for node in nodes_of(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            continue
        known = _replacement(node.func, function)
        if known is not None:
            if replaced_class(known.value()) and not asked.isdisjoint(_MOMENT_CLASSES):
                continue
            found.setdefault(f"{module}.{ast.unparse(node.func)}", known)
            continue
        called = meant(node.func, function)
        is_near = inspect.isfunction(called) and called.__module__ == module
        if is_near and called is not function and depth < DEEPEST:
            found = {**reads_of(called, depth + 1), **found}
    return found


def _replacement(node: ast.Name | ast.Attribute, function: Any) -> EnumGene | None:
    """Return the gene of what stands in for a function or a method of a class."""
    if isinstance(node, ast.Attribute):
        kind = meant(node.value, function)
        if kind in _MOMENT_CLASSES and _CLOCK.fullmatch(node.attr):
            parts = 5 if kind is datetime.datetime else 3
            named = Named("datetime", kind.__name__)
            return EnumGene(tuple(Made(named, one[:parts]) for one in _MOMENTS), closed=True)
    called = meant(node, function)
    values = _REPLACED.get(called) if callable(called) and _is_hashable(called) else None
    return None if values is None else EnumGene(values, closed=True)


def _is_hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None


def is_read(name: str) -> bool:
    """Say whether a parameter stands for what code reads: its name is a path."""
    return "." in name


def replaced_class(value: object) -> bool:
    """Say whether a value replaces the method of a class, and thereby the class."""
    return isinstance(value, Made) and value.function.module == "datetime"


@contextmanager
def fixed(reads: Mapping[str, object]) -> Iterator[None]:
    """Put recipes of values in the place of what code reads, by paths."""
    before: list[tuple[Any, str, object]] = []
    try:
        for path, value in reads.items():
            place, _dot, method = path.rpartition(".")
            stand_in: Any = None if replaced_class(value) else built(value)
            if stand_in is None:
                owner, name = _owner_of(place)
                stand_in = _fixed_class(getattr(owner, name), method, value)
            else:
                owner, name = _owner_of(path)
            before.append((owner, name, getattr(owner, name)))
            setattr(owner, name, stand_in)
        yield
    finally:
        for owner, name, value in reversed(before):
            setattr(owner, name, value)


def _owner_of(path: str) -> tuple[Any, str]:
    """Return the module or class that holds what a path stands for, and its name there."""
    parts = path.split(".")
    known = max(at for at in range(len(parts)) if ".".join(parts[:at]) in sys.modules)
    owner: Any = sys.modules[".".join(parts[:known])]
    for part in parts[known:-1]:
        owner = getattr(owner, part)
    return owner, parts[-1]


def _fixed_class(kind: Any, method: str, value: Any) -> type:
    def read(cls: Any, tz: object = None) -> object:
        return cls(*value.arguments, tzinfo=tz) if tz else cls(*value.arguments)

    return type(f"Fixed{kind.__name__.title()}", (kind,), {method: classmethod(read)})
