"""Finds what modules hold by name, and all objects of classes of libraries, wherever they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import gc


def named_values(modules: Iterable[ModuleType]) -> Iterator[tuple[str, str, Any]]:
    """Yield the name of a module, a name in it that is not Python's own, and the value."""
    for module in modules:
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                yield module.__name__, name, value


def loaded_classes(*places: tuple[str, str]) -> tuple[type[Any], ...]:
    """Return those of the classes, by module and name, that something has imported."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in places)
    return tuple(one for one in found if isinstance(one, type))


def living(*kinds: type[Any]) -> list[Any]:
    """Return every object of the classes, wherever it is held."""
    return [one for one in gc.get_objects() if issubclass(type(one), kinds)] if kinds else []
