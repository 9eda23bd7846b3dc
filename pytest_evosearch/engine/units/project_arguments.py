"""The arguments of units that only the project can make, from its hook."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from types import FunctionType

from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.execution.units.passed_arguments import NO_RECIPE
from pytest_evosearch.execution.units.passed_arguments import recipe_of
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.unit import Unit


def project_arguments(units: Mapping[str, Unit], extensions: Extensions) -> Values:
    """Return what the project gives for parameters; raise `HookFailed`."""
    if extensions.unit_arguments is None:
        return {}
    return {
        unit.key: {one.name: list(_given(unit, one.name, extensions)) for one in unit.parameters}
        for unit in units.values()
    }


def _given(unit: Unit, name: str, extensions: Extensions) -> Iterator[object]:
    assert extensions.unit_arguments is not None
    for value in extensions.unit_arguments(unit.key, name):
        recipe = recipe_of(value)
        if recipe is NO_RECIPE:
            extensions.notify(
                f"hook pytest_evosearch_unit_arguments gave {value!r:.60} for {unit.key} ({name}), "
                "which no test can spell: return a function of your project that makes it"
            )
        elif isinstance(value, FunctionType) and isinstance(recipe, Named):
            yield Made(recipe)
        else:
            yield recipe
