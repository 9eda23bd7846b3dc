"""The search for units: ask, execute, offer, learn, tell, like `engine.loop` for HTTP.

execute what docstrings show; visit every unit with ordinary and then with fresh arguments
while budget left: for test in algorithm.ask(): execute, offer, retire, learn; tell
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.events import Progress
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.units.unit_judging import fault_of
from pytest_evosearch.engine.units.unit_judging import targets_of
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.stopping import StallRule
from pytest_evosearch.search.stopping import is_stalled

VISITS = 5
"""Fresh tests of each unit before the algorithm decides."""

PATIENCE = StallRule(minimum=5_000, share=0.75)
"""Calls of units are quick, so a search without an improvement for long will find little more."""

NEARLY = 0.99
"""Score of what is only covered by mistakes of the search."""

EXPLORING = "some tests of the search"
"""How a notice names this phase."""

MOST_FAILURES = 20
"""Rounds that fail one after another before the search ends."""

TESTS_A_PROGRESS = 20
"""Tests between two progress events, which a consumer need not show."""


@dataclass
class UnitSearch:
    """One search; `run` returns why it ended."""

    problem: UnitProblem
    algorithm: SearchAlgorithm[UnitTest]
    archive: Archive[UnitTest]
    workers: UnitWorkers
    recording: Recording
    meter: BudgetMeter
    rng: Random
    share: Callable[[], float]
    """Returns the spent share of the search."""
    stop_requested: Callable[[], str | None]
    sinks: Sequence[Sink] = ()
    timeline: list[tuple[float, int, int]] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    """Unit -> number of its tests."""

    def run(self) -> ExitReason:
        """Search until the budget is spent, or nothing more is found."""
        reason, failures = self._visit(), 0
        while reason is None:
            before = self.meter.evaluations
            reason = self.workers.fence.run(EXPLORING, self._round, otherwise=ExitReason.FAILED)
            if reason is ExitReason.FAILED:
                failures = failures + 1 if before == self.meter.evaluations else 1
                if failures < MOST_FAILURES:
                    reason = self._reason_to_stop()
        return reason

    def _round(self) -> ExitReason | None:
        """Execute what the algorithm asks for; return why the search ends, or None."""
        evaluations: list[Evaluation[UnitTest]] = []
        reason = None
        for test in self.algorithm.ask():
            evaluations.append(self.execute(test))
            reason = self._reason_to_stop()
            if reason is not None:
                break
        self.algorithm.tell(evaluations)
        return reason

    def _visit(self) -> ExitReason | None:
        evaluations: list[Evaluation[UnitTest]] = []
        visits: list[tuple[str, Callable[[], UnitTest]]] = [
            *((test.act.unit, partial(UnitTest, test.calls)) for test in self.problem.documented),
            *((key, partial(self._ordinary, key)) for key in self.problem.testable),
            *[(key, partial(self._fresh, key)) for key in self.problem.testable] * (VISITS - 1),
        ]
        for key, make in visits:
            if key not in self.problem.testable:
                continue
            visited = self.workers.fence.run(EXPLORING, self._visited, make, otherwise=None)
            if visited is None:
                self.problem.note_harm(key)
                continue
            evaluations.append(visited)
            if self._reason_to_stop() is not None:
                break
        self.workers.fence.run(EXPLORING, self.algorithm.welcome, evaluations, otherwise=None)
        return self._reason_to_stop()

    def _visited(self, make: Callable[[], UnitTest]) -> Evaluation[UnitTest]:
        return self.execute(make())

    def _fresh(self, key: str) -> UnitTest:
        return self.problem.test_of(self.problem.units[key], self.rng)

    def _ordinary(self, key: str) -> UnitTest:
        return next(ordinary_variants(self._fresh(key)))

    def execute(self, test: UnitTest) -> Evaluation[UnitTest]:
        """Execute a test, and keep what it covers."""
        run = self.workers.execute(test.sent())
        self.meter.count()
        self.calls[test.act.unit] = self.calls.get(test.act.unit, 0) + 1
        whole, test = test, as_far_as_it_came(test, run)
        scores = {}
        if not run.harm:
            confirmation = confirmation_of(test, self.problem)
            unit = self.problem.units[test.act.unit]
            is_mistake = run.last is None or fault_of(unit, run.last, confirmation) is None
            reached = (
                nearly(run.scores) if is_mistake or self.problem.wrong.has(test) else run.scores
            )
            scores = {**reached, **targets_of(test, run, unit, confirmation)}
        evaluation = Evaluation(test, scores, size_of(test), run)
        newly = self.archive.offer(evaluation)
        if newly:
            self.recording.retire(newly)
            self.timeline.append(
                (self.meter.elapsed, self.meter.evaluations, len(self.archive.covered))
            )
        self.problem.learn(replace(evaluation, individual=whole))
        self._emit()
        return evaluation

    def _reason_to_stop(self) -> ExitReason | None:
        if self.stop_requested() is not None:
            return ExitReason.INTERRUPTED
        if self.share() >= 1.0:
            return ExitReason.BUDGET
        return ExitReason.STALLED if is_stalled(self.archive, PATIENCE) else None

    def _emit(self) -> None:
        if self.meter.evaluations % TESTS_A_PROGRESS:
            return
        covered = len(self.archive.covered)
        event = Progress(
            share=min(1.0, self.share()),
            evaluations=self.meter.evaluations,
            elapsed=self.meter.elapsed,
            covered=covered,
            reached=covered + len(self.archive.best),
            known=len(self.archive.known),
            faults=sum(kind_of(one) == FAULT for one in self.archive.covered),
        )
        for sink in self.sinks:
            sink(event)


def nearly(scores: Mapping[TargetId, float]) -> dict[TargetId, float]:
    """Return what a test reaches that is a mistake of the search: it covers nothing for good.

    No test is written of it, so the search goes on for one that ends well.
    """
    return {name: min(score, NEARLY) for name, score in scores.items()}


def as_far_as_it_came(test: UnitTest, run: Run) -> UnitTest:
    """Return the calls that were made where one before the last raised: that one is tested then.

    So a constructor that refuses its arguments has a test, whichever method was to be called.
    """
    is_refused = run.last is not None and run.last.end is End.RAISED
    return UnitTest(test.calls[: len(run.results)]) if is_refused else test
