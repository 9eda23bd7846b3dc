"""After a search for units: minimises its tests, adds some, and says which show faults."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from itertools import takewhile

from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.units.unit_judging import fault_of
from pytest_evosearch.engine.units.unit_judging import targets_of
from pytest_evosearch.engine.units.unit_relations import related
from pytest_evosearch.engine.units.unit_search import UnitSearch
from pytest_evosearch.engine.units.unit_strength import UnitChanges
from pytest_evosearch.engine.units.unit_strength import further_tests
from pytest_evosearch.harvest.units.unit_harvest import UnitHarvest
from pytest_evosearch.harvest.units.unit_harvest import covered_by
from pytest_evosearch.harvest.units.unit_harvest import harvested
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit_code import inherited_units
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.problem.units.unit_problem import usual_at

EXECUTIONS_A_PROGRESS = 500
"""Executions of tests between two reports of progress while tests are minimised."""


@dataclass(eq=False)
class Minimizing:
    """Minimises the tests of one search."""

    search: UnitSearch
    entries: Sequence[ModuleEntry]
    """The modules that the user named."""
    timetable: Timetable
    known: frozenset[TargetId]
    fence: Fence
    seed: int
    emit: Callable[[Event], None]

    def __post_init__(self) -> None:
        plan, now = self.timetable.plan, self.timetable.now
        if plan.is_timely:
            self._end = plan.end_of_minimizing(now, self.timetable.pace)
        else:
            self._end = math.inf
        self._numbers = count(1)

    def harvested(self) -> UnitHarvest:
        """Return the tests worth writing, and further ones that relate units to one another."""
        search, problem = self.search, self.search.problem
        tests = [evaluation.individual for evaluation in search.archive.tests()]
        changes = UnitChanges(self.entries, problem, search.workers, self._left)
        given = tests, self._further, problem.units, self._execute, self._why_fault, self._is_over
        usual = partial(usual_at, problem)
        unsure = problem.wrong.unsure_places
        harvest = harvested(*given, changes, self.fence, problem.documented, usual, unsure)
        rng = derive(self.seed, "relations")
        inherited = inherited_units(one.unit for one in harvest.specimens)
        own = [one for one in harvest.specimens if one.unit.key not in inherited]
        known = [one.test for one in own]
        more, notices = related(problem, search.workers, known, rng, self._is_over, self.fence)
        specimens = (*own, *more)
        return replace(harvest, specimens=specimens, notices=tuple(notices))

    def _left(self) -> float:
        return self._end - self.timetable.now

    def _is_over(self) -> bool:
        return self._left() <= 0

    def _execute(self, test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        if not (number := next(self._numbers)) % EXECUTIONS_A_PROGRESS:
            self.emit(PhaseProgressed(f"{number} executions"))
        search = self.search
        run = search.workers.execute(test.sent(), full=True, apart=apart)
        unit = search.problem.units[test.act.unit]
        ends = targets_of(test, run, unit, confirmation_of(test, search.problem))
        return run, covered_by({**run.scores, **ends}) - self.known

    def _why_fault(self, test: UnitTest, result: Result) -> str | None:
        problem = self.search.problem
        if problem.wrong.has(test):
            return None
        return fault_of(problem.units[test.act.unit], result, confirmation_of(test, problem))

    def _further(self) -> Iterator[UnitTest]:
        fresh = further_tests(self.search.problem, derive(self.seed, "further tests"))
        least = self._left() / 2 if self.timetable.plan.is_timely else 0.0
        return takewhile(lambda _test: self._left() > least, fresh)
