"""Says of which classes of the code an argument may be, and which classes only others extend."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pytest_evosearch.problem.units.code_uses import Uses
from pytest_evosearch.problem.units.code_uses import function_in
from pytest_evosearch.problem.units.code_uses import is_left_open
from pytest_evosearch.problem.units.unit import Unit


@lru_cache(maxsize=4096)
def is_open(kind: type) -> bool:
    """Say whether a class leaves a method to those that extend it: by `abc`, or by a ``raise``."""
    if inspect.isabstract(kind):
        return True
    names = {name for base in kind.__mro__ for name in vars(base)}
    methods = (inspect.getattr_static(kind, name, None) for name in sorted(names))
    functions = filter(None, map(function_in, methods))
    return any(map(is_left_open, functions))


def heirs_of(kind: type) -> list[type]:
    """Return the public classes of its module that extend a class, and leave nothing open."""
    return [
        one
        for one in _classes_in(kind.__module__)
        if one is not kind and kind in one.__mro__ and one.__module__ == kind.__module__
        if not one.__name__.startswith("_") and not is_open(one)
    ]


def is_base(kind: type) -> bool:
    """Say whether only objects of classes that extend a class are worth a test."""
    is_extended = is_open(kind) or kind.__name__.startswith("_")
    return is_extended and bool(heirs_of(kind))


def inherited_by(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield what a class, as the first one of its kind, has from classes that others extend."""
    for base in kind.__mro__[1:]:
        if base.__module__ == kind.__module__ and is_base(base) and heirs_of(base)[0] is kind:
            for name, value in vars(base).items():
                is_bound = type(value) not in (staticmethod, classmethod)
                if is_bound and inspect.getattr_static(kind, name, None) is value:
                    yield name, value


def classes_of(unit: Unit, uses: Uses, name: str, own: type | None) -> list[type]:
    """Return the classes of which an argument may be: its own, those its code asks for, its name's.

    `own` is the class of a method whose operand the argument is.
    """
    found = [own] if own is not None else []
    found += [one for one in uses.kinds.get(name, ()) if one not in (object, type(None))]
    if not found and (named := class_named(unit, name)) is not None:
        found.append(named)
    if unit.operator is not None and unit.operator.is_reflected:  # the left operand is of another
        found = [one for one in found if f"{one.__module__}:{one.__qualname__}" != unit.owner]
    return list(dict.fromkeys(found))


def class_named(unit: Unit, name: str) -> type | None:
    """Return the class of the package whose name a parameter has: ``version`` for ``Version``."""
    package = unit.module.partition(".")[0]
    for kind in _classes_in(unit.module):
        is_own = kind.__module__.partition(".")[0] == package
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()
        if is_own and not issubclass(kind, BaseException) and name.strip("_") == snake:
            return kind
    return None


def _classes_in(module: str) -> list[type]:
    named = vars(sys.modules[module]).values() if module in sys.modules else ()
    return [one for one in named if issubclass(type(one), type)]


def is_unmade(kind: type) -> bool:
    """Say whether a class has no objects of its own: an abstract one, or a protocol."""
    return inspect.isabstract(kind) or bool(getattr(kind, "_is_protocol", False))
