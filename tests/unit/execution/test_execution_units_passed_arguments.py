from __future__ import annotations

import sys

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.execution.units.passed_arguments import MOST_EXAMPLES
from pytest_evosearch.execution.units.passed_arguments import Callers
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem

KEY = f"{__name__}:priced"


def priced(order, reduce_by=0):  # type: ignore[no-untyped-def]
    return order["price"] - reduce_by


UNITS = by_key(units_of([KEY]))


def test_what_callers_pass_is_kept_as_recipes_and_shows_the_type() -> None:
    callers = Callers(UNITS)
    with callers.watched():
        for price in range(2 * MOST_EXAMPLES):
            priced({"price": price}, reduce_by=1)
        priced({"price": 1, "by": object()})

    orders = callers.values[KEY]["order"]
    assert orders == [{"price": price} for price in range(MOST_EXAMPLES)]
    assert callers.values[KEY]["reduce_by"] == [1, 0]
    arguments = Arguments(UNITS, seen=callers.values)
    assert arguments.unknown(UNITS[KEY]) == ()
    problem, rng = UnitProblem(UNITS, arguments, {KEY: []}), derive(1, "callers")
    made = [problem.test_of(UNITS[KEY], rng).act.values()["order"] for _ in range(30)]
    assert {"price": 3} in made


def test_a_profiler_of_the_project_is_left_alone() -> None:
    def own(*_event: object) -> None:
        """Profile nothing."""

    callers = Callers(UNITS)
    sys.setprofile(own)
    try:
        with callers.watched():
            priced({"price": 1})
        assert sys.getprofile() is own
    finally:
        sys.setprofile(None)
    assert callers.values == {}


def test_what_the_project_gives_is_all_that_is_passed() -> None:
    given = {KEY: {"order": [{"price": 7}, {"price": 8}]}}
    problem = UnitProblem(UNITS, Arguments(UNITS, given), {KEY: []})
    rng = derive(1, "given")

    made = [built(problem.test_of(UNITS[KEY], rng).act.values()["order"]) for _ in range(20)]

    assert {repr(one) for one in made} == {"{'price': 7}", "{'price': 8}"}
