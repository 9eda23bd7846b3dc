"""Looks through decorators of view functions, for objects that libraries keep in closures."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from types import FunctionType
from types import MethodType
from typing import Any

MOST_FUNCTIONS = 40
"""Most decorators of one view; a longer chain is a cycle or no decoration."""


def _function(value: Any) -> FunctionType | None:
    """Return a function, or the one that a bound method, a partial or a callable object calls.

    The check uses `type`: `isinstance` would resolve proxies such as `flask.g` outside any context.
    """
    while type(value) is partial:
        value = value.func
    if type(value) is MethodType:
        value = value.__func__
    elif type(value) is not FunctionType:
        value = type(value).__call__
    return value if type(value) is FunctionType else None


def layers(view: Any) -> list[FunctionType]:
    """Return `view` and the functions that it wraps, the outermost first."""
    found: list[FunctionType] = []
    waiting = [view]
    while waiting and len(found) < MOST_FUNCTIONS:
        function = _function(waiting.pop(0))
        if function is None or function in found:
            continue
        found.append(function)
        waiting += [*closure(function).values(), getattr(function, "__wrapped__", None)]
    return found


def closure(function: FunctionType) -> dict[str, Any]:
    """Return the closure variables of `function` by name."""
    held: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        with suppress(ValueError):  # not assigned yet
            held[name] = cell.cell_contents
    return held


def is_made_by(value: object, module: str, name: str) -> bool:
    """Say whether `value` is an instance of a class `name` from `module` or its submodules.

    The check uses names, because it must not import an optional library.
    """
    return any(
        base.__name__ == name and f"{base.__module__}.".startswith(f"{module}.")
        for base in type(value).__mro__
    )
