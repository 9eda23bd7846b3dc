"""Finds what a project hangs at its application object: attributes, extensions, blueprints, hooks.

``app.backend = Backend(Store())`` is state as a global is; an extension of the project's own holds
it in ``app.extensions``, and a factory leaves it to its hooks (``app.before_request``).  What Flask
and its extensions keep there themselves is left alone: nothing but attributes that no plain
application has is looked at, and of extensions only what the keeper takes for plain state.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from types import MethodType
from typing import Any

from flask import Blueprint
from flask import Flask

from pytest_evosearch.sut.state.kept_values import is_state

HELD = "<application>."
"""Beginning of the places at the application; no module is called so."""

_DEEPEST = 4
"""Mappings inside one another: error handlers lie by blueprint, status and class."""


@dataclass(frozen=True)
class Holder:
    """An object at which a project hangs state."""

    owner: Any
    place: str
    """What comes before a name in it: `HELD`, perhaps with ``blueprints["shop"].`` behind it."""
    usual: frozenset[str]
    """Names that objects of its kind have anyway, or make when they are needed."""

    def own(self) -> dict[str, Any]:
        """Return what the project has put there, by the spelling that follows the place."""
        if isinstance(self.owner, dict):
            return {f'["{name}"]': value for name, value in self.owner.items()}
        return {
            name: value
            for name, value in vars(self.owner).items()
            if name not in self.usual and is_state(name, value)
        }


def holders_of(app: Any) -> list[Holder]:
    """Return where state may hang at `app`; nothing where it is no Flask application."""
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
    """Return the attributes that each application of Flask has, before anything is done with it."""
    return frozenset(vars(Flask("plain")))


def _usual(owner: object, plain: frozenset[str]) -> frozenset[str]:
    """Return the names of a plain object, and those that its class makes when needed."""
    return plain | frozenset(dir(type(owner)))


def functions_of(app: Any) -> list[Callable[..., Any]]:
    """Return the views and hooks of `app`, whose closures may hold state.

    Flask registers them in mappings and lists among its attributes.
    """
    return list(_functions_in(list(vars(app).values()), _DEEPEST + 1))


def _functions_in(registered: Any, deepest: int) -> Iterator[Callable[..., Any]]:
    if isinstance(registered, (FunctionType, MethodType)):
        yield registered
    elif deepest and isinstance(registered, (Mapping, list, tuple)):
        inner = registered.values() if isinstance(registered, Mapping) else registered
        for one in list(inner):
            yield from _functions_in(one, deepest - 1)
