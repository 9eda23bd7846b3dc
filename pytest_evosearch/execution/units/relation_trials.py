"""Tries whether a relation between two units holds, in a process that may be lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Sequence
from enum import Enum
from typing import Any

from pytest_evosearch.errors import CutOff
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.related_pairs import Relates
from pytest_evosearch.problem.units.related_pairs import Relation
from pytest_evosearch.problem.units.unit import Unit

Sent = Sequence[tuple[str, Mapping[str, object]]]


class Trial(Enum):
    """What one try of a relation has shown."""

    HOLDS = "holds"
    HOLDS_TRIVIALLY = "holds, and nothing was changed on the way"
    FAILS = "fails"
    SHOWS_NOTHING = "shows nothing"


def tried(relation: Relation, tests: Sequence[Sent], units: Mapping[str, Unit]) -> list[Trial]:
    """Return what each test of the first unit shows of the relation."""
    return [_tried(relation, test, units) for test in tests]


def _tried(relation: Relation, test: Sent, units: Mapping[str, Unit]) -> Trial:
    calls, objects = Calls(units, lambda _file: None, tells=False), list[Any]()
    try:
        for key, recipes in test[:-1]:
            objects.append(calls.called(units[key], _built(recipes)))
            calls.remember(objects[0])
        recipes = test[-1][1]
        result = calls.called(relation.first, _built(recipes))
    except CutOff:
        raise
    except Exception:
        return Trial.SHOWS_NOTHING
    given = _built(recipes)
    before = objects[0] if relation.of_object else next(iter(given.values()), None)
    expected = before if relation.kind is Relates.ROUND_TRIP else result
    passed = given if relation.kind is Relates.EQUIVALENT else _only(relation.second, result)
    try:
        back = calls.called(relation.second, passed)
        holds = type(back) is type(expected) and _equal(back, expected)
    except CutOff:
        raise
    except Exception:
        return Trial.FAILS
    if not holds:
        return Trial.FAILS
    is_trivial = relation.kind is not Relates.EQUIVALENT and result is not None
    is_trivial = is_trivial and type(result) is type(before) and bool(result == before)
    return Trial.HOLDS_TRIVIALLY if is_trivial else Trial.HOLDS


def _equal(one: Any, other: Any) -> bool:
    return math.isclose(one, other) if type(one) is float else bool(one == other)


def _built(recipes: Mapping[str, object]) -> dict[str, object]:
    return {name: built(recipe) for name, recipe in recipes.items()}


def _only(unit: Unit, value: object) -> dict[str, object]:
    """Return the arguments of a unit that takes one value."""
    return {one.name: value for one in unit.parameters if one.is_required}
