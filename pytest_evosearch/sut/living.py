"""Finds all objects of classes of libraries, wherever an application holds them."""

from __future__ import annotations

import sys
from typing import Any

from pytest_evosearch.core.isolation import gc


def loaded_classes(*places: tuple[str, str]) -> tuple[type[Any], ...]:
    """Return those of the classes, by module and name, that something has imported."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in places)
    return tuple(one for one in found if isinstance(one, type))


def living(*kinds: type[Any]) -> list[Any]:
    """Return every object of the classes, wherever it is held."""
    return [one for one in gc.get_objects() if issubclass(type(one), kinds)] if kinds else []
