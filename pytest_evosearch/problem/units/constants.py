"""Constants of a unit's source, which are good first values of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from collections.abc import Mapping
from types import CodeType

from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.unit import Unit


def constants_of(units: Mapping[str, Unit], catalog: Catalog) -> dict[str, list[object]]:
    """Return the constants between the first and the last line of each unit."""
    return {key: list(dict.fromkeys(_constants(unit, catalog))) for key, unit in units.items()}


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
