"""What a search for units keeps of the tests that it executes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.engine.units.unit_search import UnitSearch
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.search.archive import Archive


class Shelf:
    """A constructor with a condition, and a method."""

    def __init__(self, width: int) -> None:
        if width < 1:
            raise ValueError("no room")
        self.width = width

    def halved(self) -> int:
        return self.width // 2

    def with_books(self, books):  # type: ignore[no-untyped-def]
        return [*books]


CONDITION = "branch shelf.py:1 true"


@pytest.fixture
def search() -> UnitSearch:
    """Return a search that calls units in this process; each call covers one condition."""
    units = by_key(units_of([f"{__name__}:Shelf"]))

    def execute(sent: Any) -> Run:
        results = Calls(units, lambda _file: "shelf.py", tells=False).perform(sent)
        return Run(results, {CONDITION: 1.0})

    problem = UnitProblem(units, Arguments(units), dict.fromkeys(units, ()))
    archive: Archive[UnitTest] = Archive([CONDITION])
    recording: Any = SimpleNamespace(retire=lambda _newly: None)
    workers: Any = SimpleNamespace(execute=execute)
    algorithm: Any = None
    meter = BudgetMeter(Budget.parse("9x"), lambda: 0.0)
    given = problem, algorithm, archive, workers, recording, meter, Random(1), lambda: 0.0
    return UnitSearch(*given, lambda: None)


def called(search: UnitSearch, width: int) -> UnitTest:
    problem = search.problem
    shelf, halved = (problem.units[f"{__name__}:Shelf{name}"] for name in ("", ".halved"))
    gene = problem.arguments.passing(shelf, "width", width)
    return UnitTest((UnitCall(shelf.key, (("width", gene),)), UnitCall(halved.key)))


@pytest.mark.parametrize(("width", "calls"), [(4, 2), (0, 1)])
def test_a_constructor_that_refuses_is_tested_without_the_method(
    search: UnitSearch, width: int, calls: int
) -> None:
    search.execute(called(search, width))

    (kept,) = {one.individual for one in search.archive.tests()}
    assert kept == UnitTest(called(search, width).calls[:calls])
    refused = {one for one in search.archive.covered if one.startswith("status")}
    assert any(one.endswith(" raised ValueError") for one in refused) == (calls == 1)


def test_what_only_a_mistake_of_the_search_reaches_is_not_covered(search: UnitSearch) -> None:
    made = called(search, 4).calls[0]
    books = search.problem.units[f"{__name__}:Shelf.with_books"]

    def given(value: object) -> UnitTest:
        return UnitTest((made, UnitCall(books.key, (("books", ConstantGene(value)),))))

    search.execute(given(3))
    assert not search.archive.is_covered(CONDITION)
    assert 0.5 < search.archive.best[CONDITION] < 1.0

    search.execute(given(["Emma"]))
    assert search.archive.is_covered(CONDITION)
