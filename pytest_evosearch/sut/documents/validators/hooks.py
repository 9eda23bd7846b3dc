"""The interface of readers: the validating functions of a library, and what their calls contain."""

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
from typing import Any
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.json_types import OF_PYTHON
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.watching.recorded_json import plain

Schema: TypeAlias = "dict[str, Any]"
"""A JSON schema of plain values; its references point into itself."""

DEEPEST_SCHEMA = 30

LARGEST_SCHEMA = 5000
"""Most parts of one schema, with shared parts counted at each use: each use is read."""

SCHEMAS_BY_NAME = frozenset(
    ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "schemas")
)
"""Keywords whose value is a table of schemas: no reference may replace it."""

DEEPEST_NESTING = 4
"""Deepest nesting of schemas that is read; recursive schemas would never end."""

PYTHON_TYPES: Mapping[Any, Schema] = {kind: {"type": said} for kind, said in OF_PYTHON.items()}
"""Schemas of plain Python types in schemas and models."""


class Placed(NamedTuple):
    """Place of data that a library takes from the request itself."""

    location: str


class Part(NamedTuple):
    """Data that a call validates, and how to read the rules for them."""

    data: object
    """The data, or a `Placed`."""
    read: Callable[[], Schema]


@dataclass(frozen=True)
class Hook:
    """One function of a library that validates.

    `identity` and `parts` take the arguments of the function, including `self` or the class.
    """

    owner: Any
    """The class with the function among its own members."""
    name: str
    identity: Callable[..., Hashable]
    """Returns a key for a schema; it must be fast, because every call uses it."""
    parts: Callable[..., Iterable[Part]]
    before: Callable[..., None] | None = None
    """Handles a call that does not validate but says where the data will come from."""


class Same:
    """A key that only equals itself; it keeps its object alive, so no other gets its id."""

    __slots__ = ("kept",)

    def __init__(self, kept: object) -> None:
        self.kept = kept

    def __hash__(self) -> int:
        return id(self.kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.kept is self.kept


def kinds_of(value: object, package: str) -> list[str]:
    """Return the names of `value`'s classes from `package`, the nearest first."""
    return [
        kind.__name__
        for kind in type(value).__mro__
        if kind.__module__.partition(".")[0] == package
    ]


def in_order(values: Iterable[Any]) -> list[Any]:
    """Return `values` as a list; sort sets, whose order changes between runs."""
    if isinstance(values, (set, frozenset)):
        return sorted(values, key=repr)
    return list(values)


def object_schema(properties: Mapping[str, Schema], required: Iterable[str]) -> Schema:
    """Return the schema of an object."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    names = list(required)
    return {**schema, "required": names} if names else schema


def enumeration(values: Iterable[Any]) -> Schema:
    """Return a schema for one of `values` if they can be sent, otherwise an empty one."""
    options = [as_json(value) for value in in_order(values)]
    distinct = [option for index, option in enumerate(options) if option not in options[:index]]
    return {"enum": distinct} if distinct else {}


def limits(low: object, high: object, words: tuple[str, str]) -> Schema:
    """Return those bounds that are numbers, under two keywords of JSON schema."""
    found = zip(words, (as_json(low), as_json(high)), strict=True)
    return {word: value for word, value in found if _is_number(value)}


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value)


def pattern(regex: object) -> Schema:
    """Return a schema for texts that `re.match` accepts: Python anchors it at the start."""
    text = getattr(regex, "pattern", regex)
    if not isinstance(text, str) or not text:
        return {}
    return {"pattern": text if text.startswith(("^", "\\A")) else f"^(?:{text})"}


def moment(form: str, layout: object) -> Schema:
    """Return the schema of a date or time in a layout of `strftime`."""
    schema: Schema = {"type": "string", "format": form}
    layouts = [layout] if isinstance(layout, str) else layout
    first = next(iter(layouts), None) if isinstance(layouts, (list, tuple)) else None
    return {**schema, "x-layout": first} if isinstance(first, str) and "%" in first else schema


def as_json(value: object) -> Any:
    """Return `value` as JSON; values without a JSON form become texts.

    Each object is read once, however many others refer to it. An object that contains itself
    becomes a reference, and so does one that would make the result too large.
    """
    return _Reading().converted(value, (), by_name=False)


class _Reading:
    """Turns one value into JSON.

    A schema may contain the components of a whole document, each of which contains them again.
    Unfolded, thirty of them have more parts than fit into memory.
    """

    def __init__(self) -> None:
        self._finished: dict[int, tuple[object, Any, int, str]] = {}
        """Id -> the object, its JSON, the number of parts, and its place."""
        self._begun: dict[int, str] = {}
        self._size = 0

    def converted(self, value: object, place: tuple[str, ...], *, by_name: bool) -> Any:
        """Return the JSON of the value at `place`; set `by_name` for a table of schemas."""
        if isinstance(value, enum.Enum):
            return self.converted(value.value, place, by_name=by_name)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, decimal.Decimal):
            return float(value)
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
            return str(value)
        return self._container(value, place, by_name)

    def _container(self, value: Any, place: tuple[str, ...], by_name: bool) -> Any:
        key = id(value)
        if key in self._begun:
            return _stand_in(value, self._begun[key], by_name)
        if key in self._finished:
            _kept, result, size, first = self._finished[key]
            if self._size + size > LARGEST_SCHEMA:
                return _stand_in(value, first, by_name)
            self._size += size
            return result
        if len(place) >= DEEPEST_SCHEMA or self._size >= LARGEST_SCHEMA:
            return _stand_in(value, "", by_name)
        where = self._begun[key] = _pointer(place)
        before = self._size
        self._size += 1
        result = self._parts(value, place, by_name)
        del self._begun[key]
        self._finished[key] = (value, result, self._size - before, where)
        return result

    def _parts(self, value: Any, place: tuple[str, ...], by_name: bool) -> Any:
        if isinstance(value, Mapping):
            return {
                str(key): self.converted(
                    item, (*place, str(key)), by_name=not by_name and key in SCHEMAS_BY_NAME
                )
                for key, item in dict(plain(value)).items()
            }
        return [
            self.converted(item, (*place, str(index)), by_name=by_name)
            for index, item in enumerate(in_order(value))
        ]


def _stand_in(value: object, pointer: str, by_name: bool) -> Any:
    """Return a reference or nothing, for a container that is not read again."""
    if not isinstance(value, Mapping):
        return []
    return {"$ref": pointer} if pointer and not by_name else {}


def _pointer(place: tuple[str, ...]) -> str:
    """Return the reference (RFC 6901) to a part of a document by its keys."""
    return "#" + "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in place)


def is_called_within(package: str, function: str) -> bool:
    """Say whether `function` of `package` called us, through functions of the package only.

    The reader and the wrapper stand between. Generators cannot be recognised in another way.
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
