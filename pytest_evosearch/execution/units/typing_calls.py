"""Finds the types of a unit's arguments by calling it with stand-ins, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any

from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.execution.units.calling import built_arguments
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import maker_of
from pytest_evosearch.standins.error_messages import missing_attribute
from pytest_evosearch.standins.shape import Shape
from pytest_evosearch.standins.type_inquiry import Inquiry
from pytest_evosearch.standins.type_inquiry import modules_beside
from pytest_evosearch.standins.type_inquiry import overhearing
from pytest_evosearch.standins.type_inquiry import shapes_by_calls

MOST_EXECUTIONS = 10
"""Most calls of one unit with stand-ins: most types are known after three."""

OF_ONE_METHOD = 4
"""Most calls of one of these methods."""

Recipes = Mapping[str, object]
"""Argument -> what makes it."""


def shapes_of_unit(
    unit: Unit,
    units: Mapping[str, Unit],
    names: Sequence[str],
    known: Sequence[tuple[Recipes, Recipes | None]],
    recipes: Mapping[Named, object],
    methods: Sequence[tuple[Unit, Recipes]] = (),
) -> dict[str, Shape]:
    """Return what stand-ins show of the arguments `names`: first of those that are required.

    `known` are other arguments that are required, which are given in turn, and those with which the
    object of a method is made; `recipes` make objects of classes of the code.  `methods`, each with
    its arguments, show what an object does with what its constructor only keeps.
    """
    module = sys.modules[unit.source]
    classes = {resolved(named): recipe for named, recipe in recipes.items()}
    kinds = [kind for kind in classes if isinstance(kind, type)]
    required = [one.name for one in unit.parameters if one.is_required and one.name in names]
    inquiry = Inquiry(required, kinds, lambda kind: built(classes[kind]))
    calls = Calls(units, lambda _file: None, tells=False)
    call = _caller(calls, unit, units, cycle(known))
    with overhearing(inquiry, modules_beside(module)):
        shapes = shapes_by_calls(call, inquiry, MOST_EXECUTIONS) if required else {}
        if len(required) < len(names):
            inquiry.ask(name for name in names if name not in required)
            shapes = {**shapes_by_calls(call, inquiry, MOST_EXECUTIONS), **shapes}
        if unit.kind is Kind.CLASS and not all(map(_is_known, shapes.values())):
            sure = {name: shape for name, shape in shapes.items() if _is_known(shape)}
            for method in methods:
                call = _caller(calls, unit, units, cycle(known), method)
                shapes = {**shapes_by_calls(call, inquiry, OF_ONE_METHOD), **sure}
        return shapes


def classes_returned(unit: Unit, units: Mapping[str, Unit], given: Sequence[Recipes]) -> list[str]:
    """Return the keys of the classes of which a unit gives objects, called with each of these."""
    calls = Calls(units, lambda _file: None, tells=False)
    found: dict[str, None] = {}
    for recipes in given:
        with suppress(Exception):
            kind = type(calls.called(unit, built_arguments(recipes)))
            found[f"{kind.__module__}:{kind.__qualname__}"] = None
    return list(found)


def _is_known(shape: Shape) -> bool:
    """Say whether more than one use shows a type: what is hashed or compared may be anything."""
    return bool(shape.kind) and shape.uses > 1 and all(map(_is_known, shape.inner()))


def _caller(
    calls: Calls,
    unit: Unit,
    units: Mapping[str, Unit],
    known: Iterator[tuple[Recipes, Recipes | None]],
    method: tuple[Unit, Recipes] | None = None,
) -> Callable[[Mapping[str, Any]], object]:
    def call(values: Mapping[str, Any]) -> object:
        others, before = next(known)
        if before is not None:
            made = built_arguments(before)
            maker = maker_of(unit.owner, units)
            assert maker is not None
            calls.remember(calls.called(maker, made))
        given = built_arguments(others)
        made = calls.called(unit, {**given, **values})
        if method is None:
            return made
        calls.remember(made)
        used, recipes = method
        arguments: dict[str, object] = {}
        try:
            arguments |= built_arguments(recipes)
            return calls.called(used, arguments)
        except Exception as error:
            if recipes and not (arguments and _blames_object(error, arguments)):
                return None
            raise

    return call


def _blames_object(error: Exception, arguments: Mapping[str, object]) -> bool:
    """Say whether an error is about what an object holds, and not about what its method is given.

    That is a missing attribute of a type that no argument has.
    """
    kind, attribute = missing_attribute(str(error))
    given = {type(one).__name__ for one in arguments.values()}
    return isinstance(error, AttributeError) and bool(attribute) and kind not in given
