"""Looks through the decorators of view functions, for what libraries keep in their closures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType
from types import MethodType
from typing import Any

MOST_FUNCTIONS = 40
"""Decorators of one view that are looked through; more is a cycle or no decoration."""


def views_of(app: Any) -> Iterator[tuple[Any, str, FunctionType]]:
    """Yield rule, method and the function that answers, of every rule of `app`.

    Of class based views that is the method of the class, of others the registered function.
    """
    for rule in app.url_map.iter_rules():
        registered = app.view_functions.get(rule.endpoint)
        for method in sorted(rule.methods or ()):
            for view in (_method_of(registered, method), registered):
                function = _function(view)
                if function is not None:
                    yield rule, method, function
                    break


def _method_of(registered: Any, method: str) -> Any:
    view_class = getattr(registered, "view_class", None)
    return getattr(view_class, method.lower(), None)


def _function(value: Any) -> FunctionType | None:
    """Return a function, or that of a bound method.

    By `type`: `isinstance` asks proxies such as `flask.g` for what they stand for, outside of
    any context.
    """
    if type(value) is MethodType:
        value = value.__func__
    return value if type(value) is FunctionType else None


def layers(view: Any) -> list[FunctionType]:
    """Return `view` and the functions that it wraps, from the outside in."""
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
    """Return the variables of enclosing functions that `function` uses, by name."""
    held: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        with suppress(ValueError):  # not assigned yet
            held[name] = cell.cell_contents
    return held


def held_by_decorators(app: Any) -> list[Any]:
    """Return what views and error handlers of `app` hold on to, each object once."""
    functions = [*app.view_functions.values(), *_error_handlers(app)]
    functions += [view for _rule, _method, view in views_of(app)]
    held: dict[int, Any] = {}
    for function in functions:
        for layer in layers(function):
            held.update((id(value), value) for value in closure(layer).values())
    return list(held.values())


def _error_handlers(app: Any) -> Iterator[Any]:
    for by_status in app.error_handler_spec.values():
        for by_type in by_status.values():
            yield from by_type.values()


def is_made_by(value: object, module: str, name: str) -> bool:
    """Say whether `value` is an instance of a class `name` from `module`, or below it.

    By name, because an optional library must not be imported to ask.
    """
    return any(
        base.__name__ == name and f"{base.__module__}.".startswith(f"{module}.")
        for base in type(value).__mro__
    )
