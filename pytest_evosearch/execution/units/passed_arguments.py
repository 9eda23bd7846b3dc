"""Records what callers pass to units, while something else executes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pytest_evosearch.execution.units.described import described
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.results import parts_of
from pytest_evosearch.problem.units.unit import Unit

MOST_EXAMPLES = 5
"""Most different values that are kept for one parameter."""

LONGEST_EXAMPLE = 200
"""Most characters of a value as text; a longer one makes no readable test."""

Place = tuple[str, int]
"""File and first line of a function: instrumentation replaces its code."""


class Callers:
    """What callers have passed so far; `values` are recipes, by unit and parameter."""

    def __init__(self, units: Mapping[str, Unit]) -> None:
        self.values: dict[str, dict[str, list[object]]] = {}
        self._units = {place: unit for unit in units.values() if (place := _place_of(unit))}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record calls in this thread; code that profiles already is left alone."""
        if sys.getprofile() is not None:
            yield
            return
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        unit = self._units.get((frame.f_code.co_filename, frame.f_code.co_firstlineno))
        if unit is None:
            return
        sys.setprofile(None)  # describing calls code of the project
        try:
            self._keep(unit, frame.f_locals)
        finally:
            sys.setprofile(self._note)

    def _keep(self, unit: Unit, passed: Mapping[str, Any]) -> None:
        for one in unit.parameters:
            if one.is_variadic or one.name not in passed:
                continue
            kept = self.values.setdefault(unit.key, {}).setdefault(one.name, [])
            value = recipe_of(passed[one.name])
            known = {repr(example) for example in kept}
            if len(kept) < MOST_EXAMPLES and value is not NO_RECIPE and repr(value) not in known:
                kept.append(value)


NO_RECIPE = object()
"""Stands for a value that no test can make."""


def recipe_of(value: object) -> object:
    """Return what makes an equal value in a test; `NO_RECIPE` where nothing does."""
    try:
        told = described(value)
        is_known = not any(isinstance(one, (Instance, Unknown)) for one in parts_of(told))
        return told if is_known and len(repr(told)) <= LONGEST_EXAMPLE else NO_RECIPE
    except Exception:
        return NO_RECIPE


def _place_of(unit: Unit) -> Place | None:
    code = getattr(function_of(unit), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else None
