"""Lets stand-ins show the types of arguments that neither hints nor defaults tell."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from typing import Any

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.execution.units.typing_calls import classes_returned
from pytest_evosearch.execution.units.typing_calls import shapes_of_unit
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import hidden_classes
from pytest_evosearch.problem.units.inventory import units_of_hidden
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import maker_of

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
    units: dict[str, Unit],
    workers: UnitWorkers,
    rng: Random,
    fence: Fence,
    is_over: Callable[[], bool] = lambda: False,
) -> list[str]:
    """Call the units with stand-ins; constructors come first, as methods need their objects.

    Units of private classes whose objects others give are added.  Return the units with unknown
    arguments for which there was no time.
    """
    given, late = (arguments, units, workers, rng), []
    for unit in sorted(units.values(), key=lambda one: one.kind is not Kind.CLASS):
        if unit.is_tested_among(units) and is_over():
            late += [unit.key] if arguments.unknown(unit) else []
        elif unit.is_tested_among(units):
            fence.run(TYPES, _learn, unit, *given, otherwise=None)
    added = fence.run(TYPES, _returned, *given, is_over, otherwise=[])
    units.update(by_key(added))
    workers.close()
    for unit in (one for one in added if one.owner):
        fence.run(TYPES, _learn, unit, *given, otherwise=None)
    return late


def _returned(
    arguments: Arguments,
    units: Mapping[str, Unit],
    workers: UnitWorkers,
    rng: Random,
    is_over: Callable[[], bool],
) -> list[Unit]:
    """Return the units of private classes of which public functions give objects."""
    modules = {unit.module: sys.modules[unit.module] for unit in units.values()}
    hidden = hidden_classes(modules.values())
    makers: dict[str, list[str]] = {}
    for unit in units.values() if hidden else ():
        if unit.kind is Kind.FUNCTION and unit.flavour is Flavour.PLAIN and not is_over():
            given = [_required(arguments, unit, rng) for _ in range(SAMPLES)]
            task = partial(classes_returned, unit, units, given)
            found = workers.perform(task, unit.key)
            for key in found if isinstance(found, list) else ():
                makers.setdefault(key, []).append(unit.key)
    known = [units_of_hidden(hidden[key], makers[key]) for key in hidden if key in makers]
    return [one for group in known for one in group if one.key not in units]


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
    owner = maker_of(unit.owner, units)
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
