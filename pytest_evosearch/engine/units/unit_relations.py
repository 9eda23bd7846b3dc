"""Confirms relations between units, and makes a test of each that holds."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.execution.units.relation_trials import Trial
from pytest_evosearch.execution.units.relation_trials import tried
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.problem.units.related_pairs import Relates
from pytest_evosearch.problem.units.related_pairs import Relation
from pytest_evosearch.problem.units.related_pairs import relations_of
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

RELATIONS = "relations between units"
"""How a notice names this phase."""

FEWEST_VALUES = 3
"""Distinct values for which a relation must hold before a test states it."""

MOST_ROWS = 4
"""Most values of one test."""

FRESH = 120
"""Fresh tests of a unit with which its relation is tried."""

ORDINARY = 3
"""Fresh tests that are tried with ordinary values, too."""

TRIAL_SECONDS = 5.0
"""Seconds for all tries of one relation."""


def related(
    problem: UnitProblem,
    workers: UnitWorkers,
    known: Sequence[UnitTest],
    rng: Random,
    is_over: Callable[[], bool],
    fence: Fence,
) -> tuple[list[UnitSpecimen], list[str]]:
    """Return tests of relations that hold, and notices about those that hold only mostly."""
    specimens: list[UnitSpecimen] = []
    notices: list[str] = []
    for relation in fence.run(RELATIONS, relations_of, problem.units, otherwise=()):
        if is_over():
            break
        if relation.first.key in problem.testable:
            given = relation, problem, workers, known, rng
            found = fence.run(RELATIONS, _confirmed, *given, otherwise=None)
            if found is not None:
                specimens.append(found[0])
                notices += found[1]
    return specimens, notices


def _confirmed(
    relation: Relation,
    problem: UnitProblem,
    workers: UnitWorkers,
    known: Sequence[UnitTest],
    rng: Random,
) -> tuple[UnitSpecimen, list[str]] | None:
    """Return the test of a relation, and notices; None where too few values confirm it."""
    fresh = [problem.test_of(relation.first, rng) for _ in range(FRESH)]
    ordinary = [one for test in fresh[:ORDINARY] for one in ordinary_variants(test)]
    tests = list(_plain([*ordinary, *known, *fresh], relation))
    task = partial(tried, relation, [test.sent() for test in tests], problem.units)
    shown = workers.perform(task, relation.first.key, TRIAL_SECONDS)
    if not isinstance(shown, list):
        return None
    found = list(zip(tests, shown, strict=True))
    telling = [test for test, trial in found if trial is Trial.HOLDS]
    trivial = [test for test, trial in found if trial is Trial.HOLDS_TRIVIALLY]
    holding = _rows(telling, trivial, relation, set(ordinary))
    failing = [test for test, trial in found if trial is Trial.FAILS]
    if len(holding) < FEWEST_VALUES or len(failing) * FEWEST_VALUES > len(found):
        return None
    told = [_told(relation, min(failing, key=size_of))] if failing else []
    return _specimen(problem, relation, holding[:MOST_ROWS]), told


def _plain(tests: Iterable[UnitTest], relation: Relation) -> Iterable[UnitTest]:
    """Return different tests of only this call, with only what it requires."""
    unit = relation.first
    required = {one.name for one in unit.parameters if one.is_required}
    wanted = [test for test in tests if test.act.unit == unit.key and len(test) <= 2]
    return {repr(one.sent()): one for one in wanted if required >= {*one.act.values()}}.values()


def _rows(
    telling: Sequence[UnitTest],
    trivial: Sequence[UnitTest],
    relation: Relation,
    ordinary: AbstractSet[UnitTest],
) -> list[UnitTest]:
    """Return short tests of one form, each with another value; none if no test is telling.

    Those with ordinary values come first.
    """
    if not telling:
        return []
    at = 0 if relation.of_object else -1
    rows: dict[str, UnitTest] = {}

    def order(test: UnitTest) -> tuple[bool, tuple[int, int]]:
        return test not in ordinary, size_of(test)

    for test in (*sorted(telling, key=order), *sorted(trivial, key=order)):
        values = test.calls[at].values()
        if values and (not rows or _form(test) == _form(next(iter(rows.values())))):
            rows.setdefault(repr(values), test)
    return list(rows.values())


def _form(test: UnitTest) -> list[tuple[str, ...]]:
    return [tuple(call.values()) for call in test.calls]


def _specimen(problem: UnitProblem, relation: Relation, rows: Sequence[UnitTest]) -> UnitSpecimen:
    result = Result(End.RETURNED)
    members = tuple(UnitSpecimen(test, problem.units, result) for test in rows)
    return replace(members[0], relation=relation, rows=members)


def _told(relation: Relation, test: UnitTest) -> str:
    values = ", ".join(repr(one) for one in test.calls[0].values().values())
    verb = {
        Relates.ROUND_TRIP: f"{relation.second.name} reverts {relation.first.name}",
        Relates.IDEMPOTENT: f"{relation.first.name} changes nothing the second time",
        Relates.EQUIVALENT: f"{relation.first.name} equals {relation.second.name}",
    }[relation.kind]
    return f"{verb} for most values, but not for {values:.60}"
