"""Constants of a unit's source, and those that it names: good first values of its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from collections.abc import Mapping
from types import CodeType

from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.unit import Unit

MOST_WORDS = 20
"""Most texts of one collection."""


def constants_of(units: Mapping[str, Unit], catalog: Catalog) -> dict[str, list[object]]:
    """Return the constants between the first and the last line of each unit, and those it names."""
    return {
        key: list(dict.fromkeys((*_constants(unit, catalog), *_named(unit))))
        for key, unit in units.items()
    }


def _named(unit: Unit) -> Iterator[object]:
    """Yield the texts, numbers and patterns of the module that a unit names."""
    function = inspect.unwrap(function_of(unit) or _nothing)
    code = getattr(function, "__code__", None)
    for name in _names(code) if code is not None else ():
        value = getattr(function, "__globals__", {}).get(name)
        if isinstance(value, re.Pattern):
            value = value.pattern
        if type(value) in (str, int, float):
            yield value


def vocabulary_of(unit: Unit, word: str) -> list[str]:
    """Return the texts beside a word in a collection of the module that a unit names."""
    function = inspect.unwrap(function_of(unit) or _nothing)
    code = getattr(function, "__code__", None)
    for name in _names(code) if code is not None else ():
        value: object = getattr(function, "__globals__", {}).get(name)
        if isinstance(value, (dict, list, tuple)) and word in value:
            return [one for one in value if isinstance(one, str)][:MOST_WORDS]
    return []


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names(one)


def _constants(unit: Unit, catalog: Catalog) -> Iterator[object]:
    path, lines = place_of(unit, catalog)
    for constant, line in catalog.constants(path) if path else ():
        if line in lines and not isinstance(constant, bool):
            yield constant


def place_of(unit: Unit, catalog: Catalog) -> tuple[str, range]:
    """Return path and lines of the function of a unit; an empty path where it has no probes."""
    code = getattr(inspect.unwrap(function_of(unit) or _nothing), "__code__", None)
    path = catalog.path_of(code.co_filename) if code is not None else None
    if code is None or path is None:
        return "", range(0)
    return path, range(code.co_firstlineno, max(_lines(code)) + 1)


def _nothing() -> None:
    """Stand for a class without a constructor of its own."""


def _lines(code: CodeType) -> Iterator[int]:
    yield code.co_firstlineno
    yield from (line for _start, _end, line in code.co_lines() if line is not None)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _lines(one)
