"""Lets stand-ins show the types of arguments that neither hints nor defaults tell."""

from __future__ import annotations

import sys
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from typing import Any

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.execution.units.typing_calls import shapes_of_unit
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit

TYPES = "types of arguments that stand-ins show"
"""How a notice names this phase."""

MOST_CLASSES = 40
"""Most classes of a module whose objects are offered to its units."""


MOST_METHODS = 8
"""Most methods that are called to see what an object does with what its constructor only kept."""

SAMPLES = 3
"""Samples of arguments of known types that are given beside stand-ins, in turn."""


def learn_types(
    arguments: Arguments,
    units: Mapping[str, Unit],
    workers: UnitWorkers,
    rng: Random,
    fence: Fence,
) -> None:
    """Call the units with stand-ins; constructors come first, as methods need their objects."""
    for unit in sorted(units.values(), key=lambda one: one.kind is not Kind.CLASS):
        if not unit.owner or unit.owner in units:
            fence.run(TYPES, _learn, unit, arguments, units, workers, rng, otherwise=None)


def _learn(
    unit: Unit,
    arguments: Arguments,
    units: Mapping[str, Unit],
    workers: UnitWorkers,
    rng: Random,
) -> None:
    names = arguments.unknown(unit)
    if not names:
        return
    owner = units.get(unit.owner)
    known = [
        (
            _required(arguments, unit, rng, names),
            _required(arguments, owner, rng) if owner is not None else None,
        )
        for _ in range(SAMPLES)
    ]
    recipes = dict(_recipes(arguments, unit))
    methods = list(_methods(unit, units, arguments, rng)) if unit.kind is Kind.CLASS else []
    task = partial(shapes_of_unit, unit, units, names, known, recipes, methods)
    shapes = workers.perform(task, unit.key)
    if isinstance(shapes, dict):
        arguments.learn(unit, shapes)


def _methods(
    kind: Unit, units: Mapping[str, Unit], arguments: Arguments, rng: Random
) -> Iterator[tuple[Unit, dict[str, object]]]:
    """Yield some methods and properties of a class with their arguments: first without any."""
    owned = [one for one in units.values() if one.owner == kind.key and not one.enters_object]
    owned.sort(key=lambda one: sum(each.is_required for each in one.parameters))
    for one in owned[:MOST_METHODS]:
        yield one, _required(arguments, one, rng)


def _required(
    arguments: Arguments, unit: Unit, rng: Random, without: Collection[str] = ()
) -> dict[str, object]:
    """Return samples of the arguments that are required."""
    required = {one.name for one in unit.parameters if one.is_required} - set(without)
    genes = arguments.call(unit).arguments
    return {name: gene.sample(rng).value() for name, gene in genes if name in required}


def _recipes(arguments: Arguments, unit: Unit) -> Iterator[tuple[Named, object]]:
    """Yield the classes in a module, with the recipe of an object of each."""
    classes: list[Any] = list(vars(sys.modules[unit.module]).values())
    for kind in [one for one in classes if isinstance(one, type)][:MOST_CLASSES]:
        if issubclass(kind, BaseException) or "<locals>" in kind.__qualname__:
            continue
        gene = arguments.made(kind)
        if gene is not None:
            yield Named(kind.__module__, kind.__qualname__), gene.value()
