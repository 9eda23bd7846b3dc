"""Says where a project gives to others what a private module defines: ``shop.Cart``.

Some packages define all in modules such as ``shop._cart``, and import it in ``shop/__init__.py``.
Some of these also set ``__module__`` of it to ``"shop"``.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from types import FunctionType
from typing import Any

from pytest_evosearch.core.exception_texts import attribute_of

_NOTHING = object()


@cache
def public_module(module: str, name: str) -> str:
    """Return the public package that gives a name of a private module to others, or the module."""
    parts = module.split(".")
    first = name.partition(".")[0]
    value = _member(module, first)
    private = next((at for at, part in enumerate(parts) if at and part.startswith("_")), None)
    for end in range(1, private + 1) if private and not first.startswith("_") else ():
        package = ".".join(parts[:end])
        given = _member(package, "__all__")
        is_given = not isinstance(given, (list, tuple)) or first in given
        if is_given and value is not _NOTHING and _member(package, first) is value:
            return package
    return module


def defining_module(value: Any) -> str:
    """Return the module with the code of a class or function, whatever its ``__module__`` says."""
    said = str(attribute_of(value, "__module__"))
    name = str(attribute_of(value, "__name__"))
    members = list(vars(value).values()) if isinstance(value, type) else [inspect.unwrap(value)]
    for function in members if said in sys.modules else ():
        if isinstance(function, FunctionType):
            module = str(function.__globals__.get("__name__"))
            if _member(module, name) is value:
                return module
    return said


def _member(module: str, name: str) -> object:
    return vars(sys.modules[module]).get(name, _NOTHING) if module in sys.modules else _NOTHING
