"""A run for an application that goes on with the units which HTTP does not reach.

The search of the application gets most of the budget.  After it, the application is torn down, and
the rest of the budget goes to functions and classes of the same modules with uncovered targets.
View functions are left out: they need a request.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.reports import with_mishaps
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.units.beside_requests import BesideRequests
from pytest_evosearch.engine.units.unit_run import UnitRun
from pytest_evosearch.engine.whole_run import WholeRun
from pytest_evosearch.errors import EvosearchError
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.execution.units.passed_arguments import Callers
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.constants import place_of
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import ApplicationSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import UNITS_SHARE
from pytest_evosearch.settings.time_plan import ALLOWED_SECONDS
from pytest_evosearch.settings.time_plan import ALLOWED_SHARE
from pytest_evosearch.settings.time_plan import REPLAY_SECONDS
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verify import Verifier

RUNS_OF_UNITS = 2
"""Runs of the tests of units, at least: alone, and beside those of the application."""

MOST_REPLAYED = 100
"""Most tests that are executed again to record what callers pass to units."""


class RunWithUnits(WholeRun):
    """A whole run, and after it one for units."""

    def __init__(self, settings: Settings, *given: Any) -> None:
        super().__init__(replace(settings, budget=settings.budget.part(1 - UNITS_SHARE)), *given)
        self._whole = settings
        self._found: Found | None = None
        self._seen: Values = {}

    def execute(self) -> Outcome:
        """Search the application, then its units."""
        outcome = super().execute()
        if self._found is None or self._found.is_cut_short or self.recording is None:
            return outcome
        budget = self._budget_of_units(self._found.context.timetable)
        if isinstance(budget, str):
            return self._without_units(outcome, budget)
        views = _views(self._found.ready.handle.app)
        known = frozenset(self._found.loop.archive.covered)
        settings = replace(
            self._whole,
            budget=budget,
            suite=replace(self._whole.suite, mutants=0),
        )
        given = self.host, self.sinks, self.recording, self.extensions, self.safe
        run = _UnitsBeyond(settings, *given, monotonic())
        run.known, run.left_out, run.seen = known, views, self._seen
        written = [settings.rootdir / one for one in outcome.suite.files]
        run.requests = tuple(one for one in written if one.name.startswith("test_"))
        run.requests_tests = outcome.suite.tests
        run.requests_seconds = self._found.context.timetable.first_run_seconds
        try:
            further = run.execute()
        except EvosearchError as error:
            return self._without_units(outcome, f"no tests of units: {error}")
        except Exception as error:
            if error is not run.fence.worst:
                run.fence.note("tests of units", error)
            outcome = with_mishaps(outcome, run.fence)
            write_reports(outcome, report_folder(settings))
            return outcome
        joined = _joined(outcome, further, run.covered - known, self.recording)
        write_reports(joined, report_folder(settings))
        return joined

    def _without_units(self, outcome: Outcome, why: str) -> Outcome:
        """Say in the reports, too, why there are no tests of units."""
        told = replace(outcome, notices=(*outcome.notices, why))
        write_reports(told, report_folder(self._whole))
        return told

    def _budget_of_units(self, timetable: Timetable) -> Budget | str:
        """Return the budget of units: their share, or what is left; or why it is of no use.

        Their tests are run twice at least, and each run loads the application.
        """
        share = self._whole.budget.part(UNITS_SHARE)
        if share.seconds is None:
            return share
        whole, loading = self._whole.budget.seconds or 0.0, timetable.pace.loading
        left = ALLOWED_SHARE * whole + ALLOWED_SECONDS - timetable.now
        seconds = min(share.seconds, left)
        if seconds < RUNS_OF_UNITS * loading or seconds < 1.0:
            return (
                f"no tests of units: {max(0.0, seconds):.0f} s are left for them, and loading the "
                f"application takes {loading:.0f} s; a larger budget suffices"
            )
        return Budget(seconds=seconds)

    def _finished(self, found: Found) -> Outcome:
        self._found = found
        if not found.is_cut_short and self.recording is not None:
            names = [entry.name for entry in self.recording.catalog.modules()]
            callers = Callers(by_key(units_in(names, self.settings.application)))
            found.ready.fence.run("recorded arguments", _replayed, found, callers, otherwise=None)
            self._seen = callers.values
        return super()._finished(found)


class _UnitsBeyond(UnitRun):
    """The run for the units with uncovered targets, in the modules that were searched."""

    left_out: frozenset[str] = frozenset()
    """Keys of the view functions and classes."""
    requests: tuple[Path, ...] = ()
    """The written modules of the application's tests."""
    requests_tests: int = 0
    """Number of the application's tests."""
    requests_seconds: float = 0.0
    """Seconds for running them once, at most."""

    def _verifier(self, process: PytestProcess) -> Verifier:
        is_timely = self.timetable.plan.is_timely
        seconds = self.requests_seconds + self.timetable.first_run_seconds if is_timely else inf
        given = process, self.requests, self.requests_tests, seconds
        return BesideRequests(super()._verifier(process), *given)

    def _units(self) -> list[Unit]:
        assert self.recording is not None
        names = [entry.name for entry in self.recording.catalog.modules()]
        application = replace(self.settings.application, units=tuple(names))
        self.settings = replace(self.settings, application=application)
        found = units_in(names, application)
        open_places = self._open_places(self.recording)
        wanted = [one for one in found if self._is_open(one, self.recording, open_places)]
        needed = {one.key for one in wanted} | {one.owner for one in wanted}
        return [one for one in found if one.key in needed]

    def _open_places(self, recording: Recording) -> dict[str, set[int]]:
        """Return path -> lines with a target that nothing has covered."""
        catalog, places = recording.catalog, dict[str, set[int]]()
        for target in set(catalog.targets()) - self.known - recording.background():
            path, line = catalog.position(target)
            places.setdefault(path, set()).add(line)
        return places

    def _is_open(self, unit: Unit, recording: Recording, places: dict[str, set[int]]) -> bool:
        if unit.key in self.left_out or unit.owner in self.left_out:
            return False
        path, lines = place_of(unit, recording.catalog)
        return any(line in lines for line in places.get(path, ()))

    def _announce(self, found: Sequence[Unit]) -> None:
        units = counted(len(found), "unit")
        self._emit(Notice(f"searching {units} with code that HTTP did not reach"))

    def _reported(self, outcome: Outcome) -> Outcome:
        return with_mishaps(outcome, self.fence)


def units_in(names: Sequence[str], application: ApplicationSettings) -> list[Unit]:
    """Return the units of modules; one that defines nothing has none, and no other is imported."""
    found: dict[str, Unit] = {}
    for name in names:
        with suppress(InvalidSetting):
            found |= by_key(units_of([name], application.only, application.skip, whole=False))
    return list(found.values())


def _replayed(found: Found, callers: Callers) -> None:
    """Execute the tests of the archive again, and record what they make callers pass."""
    end = monotonic() + REPLAY_SECONDS
    is_timely = found.context.timetable.plan.is_timely
    for evaluation in found.loop.archive.tests()[:MOST_REPLAYED]:
        if is_timely and monotonic() > end:
            break
        with callers.watched():
            found.ready.executor.evaluate(evaluation.individual)


def _views(app: Any) -> frozenset[str]:
    """Return the keys of the functions and classes behind the routes of an application."""
    views = getattr(app, "view_functions", {}).values()
    bare = [getattr(view, "view_class", None) or inspect.unwrap(view) for view in views]
    return frozenset(
        f"{getattr(one, '__module__', '')}:{getattr(one, '__qualname__', '')}" for one in bare
    )


def _joined(
    http: Outcome, units: Outcome, covered: frozenset[TargetId], recording: Recording
) -> Outcome:
    """Return the outcome of both searches; the tests of units say so by their folder."""
    tests = counted(units.tests, "test")
    number = counted(len(covered), "target")
    notices = [f"units: {tests} for {number} that HTTP did not reach"] if units.tests else []
    before = http.targets
    uncovered = tuple(one for one in before.uncovered if one.target not in covered)
    return replace(
        http,
        faults=(*http.faults, *units.faults),
        notices=(*http.notices, *notices, *units.notices),
        effort=replace(
            http.effort,
            evaluations=http.effort.evaluations + units.effort.evaluations,
            seconds=http.effort.seconds + units.effort.seconds,
            tracebacks=(*http.effort.tracebacks, *units.effort.tracebacks),
        ),
        targets=replace(
            before,
            covered=before.covered + len(covered),
            reached=before.reached + len(covered),
            known=before.known + sum(one not in recording.catalog for one in covered),
            uncovered=uncovered,
        ),
        suite=_both(http.suite, units.suite),
    )


def _both(http: SuiteSummary, units: SuiteSummary) -> SuiteSummary:
    return replace(
        http,
        files=(*http.files, *units.files),
        tests=http.tests + units.tests,
        generated=(*http.generated, *units.generated),
        dropped=(*http.dropped, *units.dropped),
        unverified=(*http.unverified, *units.unverified),
        extent=http.extent or units.extent,
    )
