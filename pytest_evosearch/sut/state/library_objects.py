"""Finds the objects of libraries that are nothing but state in memory.

The counts of a rate limiter, the items of a queue, the numbers of a metric: a project's object
refers to an object of a library, and that one keeps what requests change.  Such an object is
restored like the project's own, if all that it holds is plain data, at any depth.  What can be
connected, started or closed is left alone, and so is all that leads to such an object: a client, a
pool, a scheduler.  There, only parts are restored that are plain data themselves.
"""

from __future__ import annotations

import datetime
import decimal
import re
import threading
import types
import uuid
from collections.abc import Iterator
from enum import Enum
from functools import partial
from pathlib import PurePath
from typing import Any

import click
import flask
import jinja2
import werkzeug

from pytest_evosearch.sut.state.kept_values import ELEMENTS
from pytest_evosearch.sut.state.kept_values import is_kind
from pytest_evosearch.sut.state.kept_values import slots_of

MOST_OBJECTS = 2_000
"""Most objects in one library object: larger ones are registries and caches of the library."""

MOST_LOOKS = 50_000
"""Most objects that are looked at in all, which takes about a tenth of a second."""

DEEPEST = 3
"""Most objects of libraries inside one another of which parts are looked for."""

_ATOMS = (
    *(type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type),
    *(types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, partial),
    *(types.MethodWrapperType, types.MappingProxyType, types.GenericAlias, types.UnionType),
    *(type(threading.Lock()), type(threading.RLock()), threading.Thread, threading.Condition),
    *(threading.Event, threading.Semaphore, threading.Barrier),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal),
    *(uuid.UUID, PurePath, re.Pattern, Enum),
)
"""Values that do not change, and locks and threads, which no copy restores."""

_HEAP_TYPE = 1 << 9
"""Flag of classes that are made while Python runs, as those written in Python are."""

_FRAMEWORK = frozenset(one.__name__ for one in (flask, werkzeug, jinja2, click))
_LEFT_ALONE = _FRAMEWORK | {"sqlalchemy", "weakref", "flask_caching", "flask_limiter"}
"""Packages whose objects are no data of a project.

The framework makes its maps and caches when they are needed; `application_state` knows what a
project puts into its objects. Pools and references come and go. `sut.state.caches` empties the
caches and the counts of extensions.
"""

_ACTIVE = ("close", "start")
"""Methods of what is more than data: a client, a pool, a scheduler."""


class LibraryObjects:
    """Looks at objects of libraries, each once, until enough has been looked at."""

    def __init__(self) -> None:
        self._left = MOST_LOOKS
        self._of_plain: dict[int, Any] = {}
        """The objects that are plain data, and all in them, by identity."""

    def is_plain(self, value: Any) -> bool:
        """Say whether an object is known as plain data of a library."""
        return id(value) in self._of_plain

    def plain_parts(self, value: Any) -> list[Any]:
        """Return the objects of plain data at `value`, or `value` alone if it is one itself."""
        return list(self._parts(value, DEEPEST))

    def _parts(self, value: Any, deepest: int) -> Iterator[Any]:
        if is_kind(value, _ATOMS) or _package_of(value) in _LEFT_ALONE or self._left <= 0:
            return
        self._left -= 1
        is_container = is_kind(value, (*ELEMENTS, tuple, frozenset))
        if not is_container and self._is_closed(value):
            yield value
        elif deepest:
            for inner in _inside(value) or ():
                yield from self._parts(inner, deepest - 1)

    def _is_closed(self, value: Any) -> bool:
        """Say whether all that an object holds is plain data; remember it then."""
        seen: dict[int, Any] = {}
        waiting = [value]
        while waiting:
            current = waiting.pop()
            if id(current) in seen or is_kind(current, _ATOMS):
                continue
            seen[id(current)] = current
            self._left -= 1
            inside = _inside(current)
            if inside is None or len(seen) > MOST_OBJECTS or self._left <= 0:
                return False
            waiting += inside
        self._of_plain.update(seen)
        return True


def _package_of(value: Any) -> str:
    return str(type(value).__module__).partition(".")[0]


def _inside(value: Any) -> list[Any] | None:
    """Return what an object holds; None where it is more than data, or cannot be looked into."""
    kind = type(value)
    content: list[Any] = []
    if issubclass(kind, dict):
        content = [*dict.keys(value), *dict.values(value)]
    elif issubclass(kind, (tuple, frozenset, *ELEMENTS)):
        content = list(value) if not issubclass(kind, bytearray) else []
    elif (
        _package_of(value) in _LEFT_ALONE
        or any(hasattr(kind, name) for name in _ACTIVE)
        or not _is_of_python(kind)
    ):
        return None
    for name in ("__dict__", *slots_of(kind)):
        # A proxy would resolve what it stands for.
        inner = _attribute(value, name)
        content += inner.values() if type(inner) is dict and name == "__dict__" else [inner]
    return content


def _attribute(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def _is_of_python(kind: type) -> bool:
    """Say whether attributes are all that instances of a class hold."""
    bases = [base for base in kind.__mro__ if base is not object]
    has_attributes = any("__dict__" in vars(base) or "__slots__" in vars(base) for base in bases)
    return has_attributes and all(base.__flags__ & _HEAP_TYPE for base in bases)
