"""How many units a budget suffices for."""

from __future__ import annotations

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.units.affordable_units import affordable
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit


def many() -> list[Unit]:
    classes = [Unit("shop", f"Class{number}", Kind.CLASS) for number in range(100)]
    methods = [Unit("shop", f"{one.name}.method", Kind.METHOD) for one in classes]
    return [one for pair in zip(classes, methods, strict=True) for one in pair]


def test_all_units_are_searched_where_the_budget_suffices() -> None:
    units = many()

    assert affordable(units, Budget(evaluations=200), derive(1, "lot")) == units
    assert affordable(units, Budget(seconds=20.0), derive(1, "lot")) == units


def test_of_many_units_some_classes_are_chosen_with_their_methods() -> None:
    chosen = affordable(many(), Budget(evaluations=50), derive(1, "lot"))

    owners = [one.key for one in chosen if one.kind is Kind.CLASS]
    assert len(chosen) == 50
    assert [one.owner for one in chosen if one.kind is Kind.METHOD] == owners
    other = affordable(many(), Budget(evaluations=50), derive(2, "lot"))
    assert other != chosen
    assert chosen == affordable(many(), Budget(evaluations=50), derive(1, "lot"))
