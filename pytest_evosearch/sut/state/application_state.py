"""Finds state in a project's application object: attributes, extensions, blueprints, hooks.

``app.backend = Backend(Store())`` is state like a global. A project's own extension keeps state in
``app.extensions``, and a factory keeps it in closures of hooks (``app.before_request``). State of
Flask and of its extensions is ignored. Only attributes that no plain application has count, and for
extensions only values that the keeper treats as plain state.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from types import FunctionType
from types import MethodType
from types import NoneType
from typing import Any

from flask import Blueprint
from flask import Flask

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.state.kept_values import is_kind

HELD = "<application>."
"""Prefix of places in the application; no module has this name."""

UNSPELLED = ""
"""The place of state that no expression names, such as a handler that a class is the key of."""

_DEEPEST = 4
"""Most mappings inside each other: error handlers are keyed by blueprint, status and class."""


@dataclass(frozen=True)
class Holder:
    """An object to which a project attaches state."""

    owner: Any
    place: str
    """Prefix of its names: `HELD`, perhaps followed by ``blueprints["shop"].``."""
    usual: frozenset[str]
    """Names that all objects of this kind have, or create when needed."""


def holders_of(app: Any) -> list[Holder]:
    """Return the objects of `app` that may hold state; none when it is not Flask's."""
    if not isinstance(app, Flask):
        return []
    at_application = Holder(app, HELD, _usual(app, names_of_plain_application()))
    extensions = Holder(app.extensions, f"{HELD}extensions", frozenset())
    plain = frozenset(vars(Blueprint("plain", __name__)))
    blueprints = [
        Holder(one, f'{HELD}blueprints["{name}"].', _usual(one, plain))
        for name, one in app.blueprints.items()
    ]
    return [at_application, extensions, *blueprints]


def names_of_plain_application() -> frozenset[str]:
    """Return the attributes of every Flask application right after its creation."""
    return frozenset(vars(Flask("plain")))


def _usual(owner: object, plain: frozenset[str]) -> frozenset[str]:
    """Return the names of a plain object, and those that its class creates when needed."""
    return plain | frozenset(dir(type(owner)))


def functions_of(app: Any) -> list[tuple[str, Callable[..., Any]]]:
    """Return places and functions of views and hooks of `app`, which may hold state.

    They hold it in closures, in the object of a bound method, or in themselves where they are
    objects with ``__call__``.

    Flask registers them in mappings and lists in its attributes. Views come first: their places are
    easy to read.
    """
    registered = sorted(vars(app).items(), key=lambda item: item[0] != "view_functions")
    return [
        one for name, value in registered for one in _functions_in(value, f"{HELD}{name}", _DEEPEST)
    ]


def _functions_in(
    registered: Any, place: str, deepest: int
) -> Iterator[tuple[str, Callable[..., Any]]]:
    if isinstance(registered, (FunctionType, MethodType)):
        yield place, registered
    elif isinstance(registered, (Mapping, list, tuple)):
        named = registered.items() if isinstance(registered, Mapping) else enumerate(registered)
        for key, one in list(named) if deepest else ():
            yield from _functions_in(one, _place_within(place, key), deepest - 1)
    elif callable(registered) and not is_kind(registered, type):
        yield place, registered


def _place_within(place: str, key: object) -> str:
    if not place or not isinstance(key, (str, int, NoneType)):
        return UNSPELLED
    return f'{place}["{key}"]' if isinstance(key, str) else f"{place}[{key!r}]"
