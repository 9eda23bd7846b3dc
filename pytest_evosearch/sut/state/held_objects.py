"""Finds what an application holds by name, and in closures and objects of its views.

Each object that a name leads to comes with its expression in a fixture, which calls the application
``app``.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from inspect import unwrap
from types import FunctionType
from types import MethodType
from types import ModuleType
from typing import Any
from typing import NamedTuple

from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.fixture_texts.state_text import spelling_of
from pytest_evosearch.sut.state.kept_values import is_kind


class Held(NamedTuple):
    """An object with its expression."""

    expression: str
    value: object
    imports: tuple[str, ...] = ()
    """The lines that a fixture needs before the expression."""


def held_objects(app: Any, modules: Sequence[ModuleType]) -> Iterator[Held]:
    """Yield objects in globals and in the application, and objects one step inside them."""
    for module in modules:
        imports, name = _import_of(module)
        for attribute, value in list(vars(module).items()):
            yield from _with_inner(f"{name}.{attribute}", value, imports)
    for attribute, value in attributes_of(app).items():
        yield from _with_inner(f"app.{attribute}", value, ())
    for mapping in ("config", "extensions"):
        for key, value in list(getattr(app, mapping, {}).items()):
            yield from _with_inner(f'app.{mapping}["{key}"]', value, ())


def _with_inner(place: str, value: object, imports: tuple[str, ...]) -> Iterator[Held]:
    yield Held(place, value, imports)
    if not is_kind(value, ModuleType):
        for attribute, held in attributes_of(value).items():
            yield Held(f"{place}.{attribute}", held, imports)


def _import_of(module: ModuleType) -> tuple[tuple[str, ...], str]:
    name = module.__name__
    spelling = spelling_of(name)
    if spelling == "app":  # fixtures call the application so
        return ("import app as app_module", ""), "app_module"
    if spelling.startswith("app."):
        alias = spelling.replace(".", "_")
        return (f"import {name} as {alias}", ""), alias
    if spelling == name:
        return (f"import {name}", ""), name
    lines = ("from importlib import import_module", "", f'{spelling} = import_module("{name}")')
    return lines, spelling


def held_by_views(app: Any) -> Iterator[Held]:
    """Yield what a factory has left to its views alone, in closures and in their objects."""
    for endpoint, view in list(getattr(app, "view_functions", {}).items()):
        function = unwrap(view)
        code = f'app.view_functions["{endpoint}"]'
        code, asked = (code, "") if function is view else (f"unwrap({code})", ", unwrap")
        imports = (f"from inspect import getclosurevars{asked}", "")
        held = closure(function) if is_kind(function, FunctionType) else {}
        for name, value in held.items():
            yield Held(f'getclosurevars({code}).nonlocals["{name}"]', value, imports)
        if is_kind(view, MethodType):
            for name, value in attributes_of(view.__self__).items():
                yield Held(f"{code}.__self__.{name}", value)


def attributes_of(value: object) -> dict[str, object]:
    """Return the attributes of an object without calling its code: proxies may raise."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return dict(attributes) if type(attributes) is dict else {}
