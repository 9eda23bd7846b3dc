"""What a reader says of its library: which functions validate, and what their callers know."""

from __future__ import annotations

import datetime
import decimal
import enum
import math
import sys
from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.sut.watching.recorded_json import plain

Schema: TypeAlias = "dict[str, Any]"
"""A JSON schema, of plain values; its references point into itself."""

DEEPEST_SCHEMA = 30

DEEPEST_NESTING = 4
"""Schemas inside schemas that are read; recursive ones would never end."""

PYTHON_TYPES: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    list: {"type": "array"},
}
"""What plain types of Python stand for in schemas and models."""


class Placed(NamedTuple):
    """Data that a library takes from the request by itself, from here."""

    location: str


class Part(NamedTuple):
    """Data that a call validates, and how to read what it demands of them."""

    data: object
    """The data themselves, or a `Placed`."""
    read: Callable[[], Schema]


@dataclass(frozen=True)
class Hook:
    """One function of a library that validates.

    `identity` and `parts` take the arguments of the function, `self` or the class included.
    """

    owner: Any
    """The class that has it among its own members."""
    name: str
    identity: Callable[..., Hashable]
    """Tell one schema from another, fast: it is asked in every call."""
    parts: Callable[..., Iterable[Part]]
    before: Callable[..., None] | None = None
    """Look at a call that does not validate but says where the data will come from."""


class Same:
    """A key that is equal only to itself and keeps its object, so that no other gets its id."""

    __slots__ = ("kept",)

    def __init__(self, kept: object) -> None:
        self.kept = kept

    def __hash__(self) -> int:
        return id(self.kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.kept is self.kept


def kinds_of(value: object, package: str) -> list[str]:
    """Return the names of the classes of `value` that come from `package`, the nearest first."""
    return [
        kind.__name__
        for kind in type(value).__mro__
        if kind.__module__.partition(".")[0] == package
    ]


def in_order(values: Iterable[Any]) -> list[Any]:
    """Return `values` as a list; sets, whose order changes from run to run, are sorted."""
    if isinstance(values, (set, frozenset)):
        return sorted(values, key=repr)
    return list(values)


def object_schema(properties: Mapping[str, Schema], required: Iterable[str]) -> Schema:
    """Return the schema of an object."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    names = list(required)
    return {**schema, "required": names} if names else schema


def enumeration(values: Iterable[Any]) -> Schema:
    """Return the schema of one of `values`, if they can be sent; nothing is said otherwise."""
    options = [as_json(value) for value in in_order(values)]
    distinct = [option for index, option in enumerate(options) if option not in options[:index]]
    return {"enum": distinct} if distinct else {}


def limits(low: object, high: object, words: tuple[str, str]) -> Schema:
    """Return the bounds that are numbers, under two words of JSON schema."""
    found = zip(words, (as_json(low), as_json(high)), strict=True)
    return {word: value for word, value in found if _is_number(value)}


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value)


def pattern(regex: object) -> Schema:
    """Return the schema of what `re.match` accepts: Python anchors it at the start."""
    text = getattr(regex, "pattern", regex)
    if not isinstance(text, str) or not text:
        return {}
    return {"pattern": text if text.startswith(("^", "\\A")) else f"^(?:{text})"}


def moment(form: str, layout: object) -> Schema:
    """Return the schema of a date or time that is written as `strftime` says."""
    schema: Schema = {"type": "string", "format": form}
    layouts = [layout] if isinstance(layout, str) else layout
    first = next(iter(layouts), None) if isinstance(layouts, (list, tuple)) else None
    return {**schema, "x-layout": first} if isinstance(first, str) and "%" in first else schema


def as_json(value: object, depth: int = DEEPEST_SCHEMA) -> Any:
    """Return `value` as JSON has it; texts for what it has not."""
    if isinstance(value, enum.Enum):
        return as_json(value.value, depth)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if depth and isinstance(value, Mapping):
        return {str(key): as_json(item, depth - 1) for key, item in dict(plain(value)).items()}
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item, depth - 1) for item in in_order(value)]
    return str(value)


def is_called_within(package: str, function: str) -> bool:
    """Say whether `function` of `package` is what called, through its own functions only.

    The reader and the wrapper lie between; generators have no other way to tell.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        name: str = frame.f_globals.get("__name__", "")
        if name.startswith("pytest_evosearch.sut.documents.validators"):
            continue
        if name.partition(".")[0] != package:
            return False
        if frame.f_code.co_name == function:
            return True
    return False
