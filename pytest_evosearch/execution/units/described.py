"""Tells results as plain data: values, recipes that make an equal object, attributes of objects."""

from __future__ import annotations

import ast
import dataclasses
import datetime
import decimal
import enum
import fractions
import inspect
import pathlib
import re
import sys
import types
import uuid
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any
from typing import TypeGuard

from pytest_evosearch.core.exception_texts import attribute_of
from pytest_evosearch.core.exception_texts import read_of
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.results import FIRST
from pytest_evosearch.problem.units.results import ITEMS
from pytest_evosearch.problem.units.results import LAST
from pytest_evosearch.problem.units.results import LENGTH
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.results import is_known

DEEPEST = 4
"""Levels of a result that are told; a test that asserts more is hard to read."""

MOST_ELEMENTS = 60
"""Most elements of one container that are told."""

LONGEST_TEXT = 2000
"""Most characters of a text that are told."""

LONGEST_LINE = 120
"""Most characters of a line of a long text that is told."""

DEEPEST_ORDER = 3
"""Levels of containers and objects in which sets are looked for."""

LONGEST_SPELLED = 60
"""Most characters of a text that makes an object which is compared with a result."""

_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})
_CONTAINERS = frozenset({list, tuple, set, frozenset})


def described(value: object, depth: int = 0) -> object:
    """Return a description of a value."""
    kind = type(value)
    if kind in _PLAIN:
        is_long = kind in (str, bytes) and len(value) > LONGEST_TEXT  # type: ignore[arg-type]
        return Unknown(class_of(value)) if is_long or _is_huge(value) else value
    if depth >= DEEPEST:
        return Unknown(class_of(value))
    if kind in _CONTAINERS and len(value) <= MOST_ELEMENTS:  # type: ignore[arg-type]
        return _container(value, depth)
    is_standard = kind.__module__ == "collections" or kind.__eq__ is dict.__eq__
    is_dict = issubclass(kind, dict) and is_standard
    if is_dict and len(value) <= MOST_ELEMENTS:  # type: ignore[arg-type]
        items = list(value.items())  # type: ignore[attr-defined]
        keys = [described(key, depth + 1) for key, _one in items]
        if all(_is_hashable(key) for key in keys):
            return {
                key: described(one, depth + 1) for key, (_key, one) in zip(keys, items, strict=True)
            }
    return _of_known_kind(value) or _of_object(value, depth)


def described_result(value: object) -> object:
    """Return the description of a result: of a closed object, what its properties show.

    Where it has none, it is what ``str`` makes of it.  Both run code of its class, so a test that
    asserts them runs it, too.  Of a text that is too long to be told it is the first line, the last
    one, and their number.
    """
    told = described(value)
    if isinstance(told, Unknown) and isinstance(value, (str, bytes)):
        return Instance(told.kind, tuple(_lines_of(value)))
    if not isinstance(told, Instance) or told.attributes or told.elements is not None:
        return told
    shown = tuple(_shown_by_properties(value))
    texts = (_own_text(value, str) or _own_text(value, repr)) if not shown else ()
    return dataclasses.replace(told, attributes=shown or texts)


def _lines_of(text: str | bytes) -> Iterator[tuple[str, object]]:
    lines = text.splitlines()
    yield LENGTH, len(lines)
    for name, line in ((FIRST, lines[0]), (LAST, lines[-1])):
        if 0 < len(line.strip()) <= LONGEST_LINE:
            yield name, line


def _own_text(value: object, read: Callable[[object], str]) -> tuple[tuple[str, object], ...]:
    """Return what `str` or `repr` makes of an object whose class has its own, under its name.

    Where the object holds several texts in a set, their order is chance, and there is nothing.
    """
    name = f"__{read.__name__}__"
    is_own = inspect.isfunction(getattr(type(value), name, None))
    is_own = is_own and not _has_chance_order(_inside(value))
    text = read_of(value, read, None) if is_own else None
    return ((name, text),) if isinstance(text, str) and text else ()


def _inside(value: object) -> Mapping[str, object]:
    """Return the attributes of an object, in slots or not."""
    slots = attribute_of(type(value), "__slots__", ()) or ()
    return read_of(value, vars, {}) or {name: attribute_of(value, name) for name in slots}


def _has_chance_order(value: object, depth: int = 0) -> bool:
    """Say whether a value holds a set of several elements whose hashes differ in each process."""
    if isinstance(value, (set, frozenset)):
        return len(value) > 1 and not all(isinstance(one, int) for one in value)
    if depth == DEEPEST_ORDER:
        return False
    held = value if isinstance(value, (Mapping, list, tuple)) else _inside(value)
    inside = held.values() if isinstance(held, Mapping) else held
    return any(_has_chance_order(one, depth + 1) for one in islice(inside, MOST_ELEMENTS))


def _shown_by_properties(value: object) -> Iterator[tuple[str, object]]:
    kind = type(value)
    names = dict.fromkeys(name for one in kind.__mro__ for name in vars(one))
    for name in [name for name in names if not name.startswith("_")][:MOST_ELEMENTS]:
        if isinstance(inspect.getattr_static(kind, name), property):
            shown = described(read_of(value, attrgetter(name), _UNREAD), depth=1)
            if is_known(shown):
                yield name, shown


_UNREAD = object()
"""Stands for a property that raises an error."""


def _container(value: Any, depth: int) -> object:
    inside = [described(one, depth + 1) for one in value]
    if type(value) in (set, frozenset) and not all(map(_is_hashable, inside)):
        return Unknown(class_of(value))
    return type(value)(inside)


def _is_huge(value: object) -> bool:
    return isinstance(value, int) and abs(value) >= 1 << 200


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _of_known_kind(value: object) -> object:
    """Return the recipe of a value of a standard type, or the name of what a module holds."""
    if isinstance(value, enum.Enum) and isinstance(attribute_of(value, "name"), str):
        kind = type(value)
        return Named(kind.__module__, f"{kind.__qualname__}.{value.name}")
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return _named(value)
    moments = (one for one in (datetime.datetime, datetime.date) if isinstance(value, one))
    make = _RECIPES.get(next(moments, type(value)))
    recipe = make(value) if make is not None else None
    return recipe if recipe is not None and _gives(recipe, value) else None


def _named(value: Any) -> Named | None:
    module, name = attribute_of(value, "__module__"), attribute_of(value, "__qualname__")
    found: Any = sys.modules.get(module) if isinstance(module, str) else None
    for part in name.split(".") if isinstance(name, str) else ():
        found = attribute_of(found, part)
    return Named(module, name) if found is value else None


def _moment(value: Any) -> Made | None:
    is_day = isinstance(value, datetime.date)
    name = "datetime" if isinstance(value, datetime.datetime) else "date" if is_day else "time"
    parts = ("year", "month", "day") if name != "time" else ()
    if name != "date":
        if value.tzinfo is not None:
            return None
        parts = (*parts, "hour", "minute", "second", "microsecond")
    numbers = [getattr(value, part) for part in parts]
    least = 3 if name == "date" else 5 if name == "datetime" else 2
    while len(numbers) > least and not numbers[-1]:
        numbers.pop()
    return Made(Named("datetime", name), tuple(numbers))


def _timedelta(value: datetime.timedelta) -> Made:
    parts = (("days", value.days), ("seconds", value.seconds), ("microseconds", value.microseconds))
    return Made(Named("datetime", "timedelta"), (), tuple(one for one in parts if one[1]))


_RECIPES: dict[type, Callable[[Any], Made | None]] = {
    decimal.Decimal: lambda value: Made(Named("decimal", "Decimal"), (str(value),)),
    fractions.Fraction: lambda value: Made(
        Named("fractions", "Fraction"), (value.numerator, value.denominator)
    ),
    datetime.date: _moment,
    datetime.datetime: _moment,
    datetime.time: _moment,
    datetime.timedelta: _timedelta,
    uuid.UUID: lambda value: Made(Named("uuid", "UUID"), (str(value),)),
    pathlib.PosixPath: lambda value: Made(Named("pathlib", "Path"), (str(value),)),
    pathlib.PurePosixPath: lambda value: Made(Named("pathlib", "PurePosixPath"), (str(value),)),
    range: lambda value: Made(
        Named("builtins", "range"),
        (value.start, value.stop, value.step)
        if value.step != 1
        else (value.start, value.stop)
        if value.start
        else (value.stop,),
    ),
    bytearray: lambda value: Made(Named("builtins", "bytearray"), (bytes(value),)),
}


def _gives(recipe: object, value: object) -> bool:
    """Say whether a recipe makes an object that equals `value`."""
    try:
        again = built(recipe)
        is_alike = type(again) is type(value) or isinstance(again, datetime.date)
        return is_alike and bool(again == value)
    except Exception:
        return False


def _of_object(value: object, depth: int) -> object:
    """Return the recipe of a record, otherwise the class and the attributes that are known."""
    kind = type(value)
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        names = attribute_of(kind, "_fields", ())
        if dataclasses.is_dataclass(kind):
            names = [one.name for one in dataclasses.fields(kind) if one.init]
        parts = tuple((name, described(attribute_of(value, name), depth + 1)) for name in names)
        recipe = Made(class_of(value), (), parts)
        if _gives(recipe, value):
            return recipe
    if depth and (spelled := _from_its_text(value)) is not None:
        return spelled
    shown = _inside(value)
    attributes = [
        (name, described(one, depth + 1))
        for name, one in list(shown.items())[:MOST_ELEMENTS]
        if isinstance(name, str) and not name.startswith("_")
    ]
    told = tuple((name, one) for name, one in attributes if is_known(one))
    if isinstance(value, re.Match):
        return Instance(Named("re", "Match"))
    elements = read_of(value, partial(_elements, depth=depth), None)
    if elements and isinstance(value, Mapping):
        pairs = described(read_of(value, dict, None), depth)
        told, elements = ((ITEMS, pairs),) if isinstance(pairs, dict) else told, None
    if not told and elements is None and (spelled := _from_its_repr(value, shown)) is not None:
        return spelled
    if depth and elements is None and not any(one for _name, one in told):
        told += tuple(one for one in _own_text(value, repr) if " at 0x" not in str(one))
    return Instance(class_of(value), told, elements, elements is None and _is_refusal(value))


def _from_its_text(value: object) -> Made | None:
    """Return the call of a class with the text of an object, if this gives an equal object."""
    named = class_of(value)
    if named.name.startswith("_") or not inspect.isfunction(getattr(type(value), "__eq__", None)):
        return None
    text = read_of(value, str, None)
    recipe = Made(named, (text,))
    is_short = isinstance(text, str) and len(text) <= LONGEST_SPELLED
    return recipe if is_short and _gives(recipe, value) else None


def _from_its_repr(value: object, inside: Mapping[str, object]) -> Made | None:
    """Return the call that `repr` shows of an object, if this gives an equal object."""
    own = (inspect.isfunction(getattr(type(value), name, None)) for name in ("__eq__", "__repr__"))
    is_told = all(own) and not _has_chance_order(inside)
    text = read_of(value, repr, None) if is_told else None
    if not isinstance(text, str) or len(text) > LONGEST_SPELLED:
        return None
    try:
        recipe = _recipe_of(ast.parse(text, mode="eval").body, type(value).__module__)
    except (ValueError, SyntaxError):
        return None
    return recipe if isinstance(recipe, Made) and _gives(recipe, value) else None


def _recipe_of(node: ast.expr, module: str) -> object:
    """Return the recipe of a call of a class of a module, or a literal; raise ValueError."""
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    kind = getattr(sys.modules.get(module), node.func.id, None) if _is_name(node.func) else None
    if not isinstance(kind, type) or any(one.arg is None for one in node.keywords):
        raise ValueError
    keywords = [(str(one.arg), _recipe_of(one.value, module)) for one in node.keywords]
    arguments = [_recipe_of(one, module) for one in node.args]
    return Made(Named(kind.__module__, kind.__qualname__), tuple(arguments), tuple(keywords))


def _is_name(node: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and not node.id.startswith("_")


def _is_refusal(value: object) -> bool:
    is_judged = inspect.isfunction(getattr(type(value), "__bool__", None))
    return isinstance(value, BaseException) or (is_judged and not read_of(value, bool, True))


def _elements(value: Any, depth: int) -> tuple[object, ...] | None:
    """Return the elements of an object whose class is written in Python, and has a length."""
    kind = type(value)
    written = [inspect.isfunction(getattr(kind, name, None)) for name in ("__len__", "__iter__")]
    if not all(written) or len(value) > MOST_ELEMENTS:
        return None
    told = [described(one, depth + 1) for one in islice(value, MOST_ELEMENTS)]
    return tuple(told) if all(map(is_known, told)) else None


def class_of(value: object) -> Named:
    """Return the class of a value."""
    kind = type(value)
    return Named(str(kind.__module__), str(kind.__qualname__))
