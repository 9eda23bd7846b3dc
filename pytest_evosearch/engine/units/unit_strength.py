"""Connects the strengthening of a suite with the processes in which units are called."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.execution.mutating.mutations import mutants_of
from pytest_evosearch.execution.mutating.mutations import mutations_of
from pytest_evosearch.execution.units.hollow_trials import hollow_tests
from pytest_evosearch.execution.units.mutant_trials import CHANGE_SECONDS
from pytest_evosearch.execution.units.mutant_trials import ENDLESS
from pytest_evosearch.execution.units.mutant_trials import detected
from pytest_evosearch.execution.units.mutant_trials import detections
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.harvest.units.unit_strengthening import Strengthening
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import usual_at

FURTHER_TESTS = 25
"""Fresh tests of each unit that may detect what the tests of the search overlook."""

MOST_WEIGHED = 30
"""Most changes on which tests of one unit are weighed against one another."""

T = TypeVar("T")

Covered = Mapping[UnitTest, frozenset[TargetId]]


class UnitChanges:
    """Small changes of the searched modules, on which tests are tried."""

    def __init__(
        self,
        entries: Sequence[ModuleEntry],
        problem: UnitProblem,
        workers: UnitWorkers,
        left: Callable[[], float],
    ) -> None:
        self._problem = problem
        self._workers = workers
        self._left = left
        """Returns the seconds that are left for trying tests."""
        self._entries = entries
        self._sources = {one.name: one.file.read_text(encoding="utf-8") for one in entries}
        self._changes = {name: mutations_of(source) for name, source in self._sources.items()}
        self._endless: set[tuple[str, int]] = set()
        """Module and change with which some test did not end: they are weighed no more."""

    def strengthened(self, chosen: Covered, further: Covered) -> list[UnitTest]:
        """Return tests to add to the chosen ones, for each module that is searched."""
        found: list[UnitTest] = []
        for entry in self._entries:
            work = Strengthening(
                entry.path,
                self._changes[entry.name],
                partial(self._first, entry),
                lambda: self._left() <= 0,
                partial(usual_at, self._problem),
                len(self._entries),
            )
            found += work.added(self._of(chosen, entry), self._of(further, entry))
        return found

    def powers(self, tests: Covered) -> dict[UnitTest, frozenset[str]]:
        """Return the changes that each test of one module detects, of the lines that it runs."""
        found: dict[UnitTest, frozenset[str]] = {}
        for entry in self._entries:
            given = self._of(tests, entry)
            run = frozenset().union(*given.values())
            lines = [line_target(entry.path, one.line) for one in self._changes[entry.name]]
            numbers = [at for at, line in enumerate(lines) if line in run]
            numbers = numbers[:: 1 + len(numbers) // MOST_WEIGHED]
            numbers = [at for at in numbers if (entry.name, at) not in self._endless]
            every = self._tried(detections, entry, numbers, list(given))
            self._endless |= {(entry.name, at) for at, by in every.items() if ENDLESS in by}
            for at, test in enumerate(given):
                mine = (number for number, detecting in every.items() if at in detecting)
                found[test] = frozenset(f"change {number}" for number in mine)
        return found

    def hollow(self, tests: Iterable[UnitTest]) -> frozenset[UnitTest]:
        """Return the tests that end as usual without the body of the tested function."""
        given = list(tests)
        if not given:
            return frozenset()
        task = partial(hollow_tests, [one.sent() for one in given], self._problem.units)
        seconds = len(given) * self._workers.seconds
        answer = self._workers.perform(task, given[0].act.unit, seconds)
        return frozenset(given[at] for at in answer) if isinstance(answer, list) else frozenset()

    def _of(self, tests: Covered, entry: ModuleEntry) -> dict[UnitTest, frozenset[TargetId]]:
        units = self._problem.units
        return {
            test: covered
            for test, covered in tests.items()
            if units[test.act.unit].source == entry.name
        }

    def _first(
        self, entry: ModuleEntry, numbers: Sequence[int], tests: Sequence[UnitTest]
    ) -> Mapping[int, int | None]:
        return self._tried(detected, entry, numbers, tests)

    def _tried(
        self,
        trial: Callable[..., dict[int, T]],
        entry: ModuleEntry,
        numbers: Sequence[int],
        tests: Sequence[UnitTest],
    ) -> Mapping[int, T]:
        sent = [test.sent() for test in tests]
        if not sent or not numbers:
            return {}
        mutants = mutants_of(self._sources[entry.name])
        for number in numbers:
            mutants.code(number, str(entry.file))  # once, and not in each process
        end = monotonic() + self._left()
        given = entry.name, self._sources[entry.name], numbers, sent, self._problem.units, end
        seconds = len(sent) * self._workers.seconds + 2 * CHANGE_SECONDS * (len(numbers) + 8)
        answer = self._workers.perform(partial(trial, *given), entry.name, seconds)
        return answer if isinstance(answer, dict) else {}


def further_tests(problem: UnitProblem, rng: Random) -> Iterator[UnitTest]:
    """Yield fresh tests of all units, in turn."""
    for _ in range(FURTHER_TESTS):
        for key in problem.testable:
            yield problem.test_of(problem.units[key], rng)
