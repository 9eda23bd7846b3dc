"""Connects the strengthening of a suite with the processes in which units are called."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.mutating.mutations import mutations_of
from pytest_evosearch.execution.units.mutant_trials import CHANGE_SECONDS
from pytest_evosearch.execution.units.mutant_trials import detected
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.harvest.unit_strengthening import Strengthening
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import usual_at

FURTHER_TESTS = 25
"""Fresh tests of each unit that may detect what the tests of the search overlook."""

Covered = Mapping[UnitTest, frozenset[TargetId]]


def strengthened(
    entries: Sequence[ModuleEntry],
    problem: UnitProblem,
    workers: UnitWorkers,
    left: Callable[[], float],
    chosen: Covered,
    further: Covered,
) -> list[UnitTest]:
    """Return tests to add to the chosen ones, for each module that is searched.

    `left` returns the seconds that are left for it.
    """
    found: list[UnitTest] = []
    for entry in entries:
        source = entry.file.read_text(encoding="utf-8")
        ours = {test: one for test, one in chosen.items() if _is_in(test, entry)}
        others = {test: one for test, one in further.items() if _is_in(test, entry)}
        work = Strengthening(
            entry.path,
            mutations_of(source),
            partial(_tried, workers, problem, entry, source, left),
            lambda: left() <= 0,
            partial(usual_at, problem),
        )
        found += work.added(ours, others)
    return found


def further_tests(problem: UnitProblem, rng: Random) -> Iterator[UnitTest]:
    """Yield fresh tests of all units, in turn."""
    for _ in range(FURTHER_TESTS):
        for key in problem.testable:
            yield problem.test_of(problem.units[key], rng)


def _is_in(test: UnitTest, entry: ModuleEntry) -> bool:
    return test.act.unit.partition(":")[0] == entry.name


def _tried(
    workers: UnitWorkers,
    problem: UnitProblem,
    entry: ModuleEntry,
    source: str,
    left: Callable[[], float],
    numbers: Sequence[int],
    tests: Sequence[UnitTest],
) -> Mapping[int, int | None]:
    sent = [test.sent() for test in tests]
    if not sent or not numbers:
        return {}
    end = monotonic() + left()
    task = partial(detected, entry.name, source, numbers, sent, problem.units, end)
    seconds = len(sent) * workers.seconds + 2 * CHANGE_SECONDS * (len(numbers) + 8)
    answer = workers.perform(task, entry.name, seconds)
    return answer if isinstance(answer, dict) else {}
