"""What the function of a unit tells: the defaults of its parameters, and whose code it is."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable

from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.unit import Unit


def defaults_of(unit: Unit) -> list[object]:
    """Return the defaults of the parameters of a unit."""
    function = function_of(unit) if unit.module in sys.modules else None
    try:
        parameters = inspect.signature(function).parameters.values() if function else ()
    except (ValueError, TypeError):
        return []
    return [one.default for one in parameters if one.default is not one.empty]


def inherited_units(units: Iterable[Unit]) -> frozenset[str]:
    """Return the keys of units whose code another one of them has, where that is defined.

    A class without a constructor of its own has that of a base class, which is tested there, or on
    the first class that has it.
    """
    sharing: dict[int, list[Unit]] = {}
    for unit in units:
        function = function_of(unit)
        if function is not None:
            sharing.setdefault(id(function), []).append(unit)
    found: set[str] = set()
    for group in sharing.values():
        names = [getattr(function_of(one), "__qualname__", "") for one in group]
        places = zip(group, names, strict=True)
        own = (one for one, name in places if name.startswith(f"{one.name}."))
        first = next(own, group[0])
        found |= {one.key for one in group if one is not first}
    return frozenset(found)
