"""A run for units: find them, search, minimise, write, verify, report.

No unit is called in this process.  Their modules are imported here, as any test would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_evosearch import __version__
from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.algorithm_choice import tunables_for
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.phases.reports import NOTHING_WRITTEN
from pytest_evosearch.engine.phases.reports import with_reports
from pytest_evosearch.engine.preparing.folders import shown_path
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.timetable import written_tests
from pytest_evosearch.engine.units.affordable_units import affordable
from pytest_evosearch.engine.units.event_loops import loop_mark
from pytest_evosearch.engine.units.project_arguments import project_arguments
from pytest_evosearch.engine.units.unit_minimizing import Minimizing
from pytest_evosearch.engine.units.unit_rows import UnitRows
from pytest_evosearch.engine.units.unit_rows import rows_of_units
from pytest_evosearch.engine.units.unit_search import UnitSearch
from pytest_evosearch.engine.units.unit_types import learn_types
from pytest_evosearch.engine.writing import run_name
from pytest_evosearch.errors import EvosearchError
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.harvest.units.unit_harvest import UnitHarvest
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.constants import constants_of
from pytest_evosearch.problem.units.documented_calls import documented_calls
from pytest_evosearch.problem.units.documented_calls import documented_tests
from pytest_evosearch.problem.units.documented_calls import documented_values
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.search.algorithms import make_algorithm
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import SEARCH_SHARE
from pytest_evosearch.settings.time_plan import time_plan
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.strength.score import mutation_score
from pytest_evosearch.write.units.unit_suite import UnitBrief
from pytest_evosearch.write.units.unit_suite import write_units
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.written_suite import WrittenSuite

TYPES_SHARE = 0.3
"""Share of a budget of seconds for finding out the types of arguments."""

UNIT_SECONDS = 1.0
"""Seconds that the calls of one test may take: a unit is quick, or it hangs."""


@dataclass(eq=False)
class UnitRun:
    """One run for the units that the user names."""

    settings: Settings
    host: Host
    sinks: Sequence[Sink]
    recording: Recording
    extensions: Extensions
    safe: Safekeeping | None
    began: float
    known: frozenset[TargetId] = frozenset()
    """Targets that other tests cover; no test of a unit is written for them."""
    seen: Values = field(default_factory=dict)
    """What callers passed, as the search of an application has shown."""
    covered: frozenset[TargetId] = frozenset()
    """Targets that the search has covered."""

    fence: Fence = field(default_factory=Fence)
    """Collects what fails by a mistake of this plugin; the run goes on without it."""

    def __post_init__(self) -> None:
        self.timetable = Timetable(replace(time_plan(self.settings), asks=False), self.began)

    def execute(self) -> Outcome:
        """Run every phase, and return the outcome."""
        every = self._units()
        if not every:
            raise NothingToGenerate("no unit is left after --evosearch-only and --evosearch-skip")
        found = affordable(every, self.settings.budget, derive(self.settings.seed, "lot of units"))
        units = by_key(found)
        self.recording.retire_background()
        self._announce(found)
        outcome = Outcome(
            ExitReason.PLAN,
            self.settings.seed,
            algorithm=self.settings.algorithm,
            reproduce=self.settings.command_line.reproduce,
            targets=TargetSummary(known=len(self.recording.catalog)),
            discovery=Discovery(rows_of_units(found, {}), (), self._findings(found), noun="unit"),
            notices=self._left_out(len(found), len(every)),
        )
        if self.settings.plan:
            return outcome
        if self.settings.suite.mutants:
            require_library()
        if not hasattr(os, "fork"):
            raise InvalidSetting("--evosearch-units needs a system on which processes can fork")
        with scratch_folder("units") as folder, ExitStack() as held:
            workers = UnitWorkers(units, self.recording, UNIT_SECONDS, folder, self.fence)
            held.callback(workers.close)
            finished = self._reported(self._found(units, workers, outcome, held))
        if self.fence.worst is not None:
            raise self.fence.worst
        return finished

    def _units(self) -> list[Unit]:
        names = self.settings.application
        return units_of(names.units, names.only, names.skip)

    def _announce(self, found: Sequence[Unit]) -> None:
        self._emit(Discovered(self._findings(found)))

    def _left_out(self, chosen: int, every: int) -> tuple[str, ...]:
        """Say that there are too many units, if so; else nothing."""
        if chosen == every:
            return ()
        text = f"the budget suffices for {chosen} of {every} units, which a lot has chosen"
        self._emit(Notice(text))
        return (f"{text}; a larger budget, or --evosearch-only, reaches others",)

    @property
    def folder(self) -> Path:
        """Return the folder of the written tests."""
        if self.settings.suite.output is not None:
            return self.settings.suite.output
        tests = self.settings.rootdir / "tests"
        return (tests if tests.is_dir() else self.settings.rootdir) / "evosearch_units"

    def _findings(self, units: Sequence[Unit]) -> dict[str, str]:
        modules = dict.fromkeys(unit.module for unit in units)
        return {
            "units": f"{len(units)} in {', '.join(modules)}",
            "output": shown_path(self.folder, self.settings.rootdir),
        }

    def _found(
        self, units: dict[str, Unit], workers: UnitWorkers, outcome: Outcome, held: ExitStack
    ) -> Outcome:
        problem = self._problem(units, workers)
        search = self._search(problem, workers)
        self._emit(PhaseStarted("search"))
        self.timetable.note(loading=self.timetable.now, processors=processors())
        self.timetable.begin_search()
        reason = self.fence.run("the search", search.run, otherwise=ExitReason.FAILED)
        seconds, nothing = search.meter.elapsed, UnitHarvest(())
        harvest = self.fence.run("minimising", self._minimized, search, otherwise=nothing)
        suite, process = self._kept(harvest, held)
        mutation = self.fence.run("mutants", self._mutation, process, suite, otherwise=None)
        self.covered = frozenset(search.archive.covered)
        parts = UnitRows(workers, search, harvest, suite, mutation, seconds)
        return replace(parts.told(outcome, self.fence), reason=reason)

    def _problem(self, units: dict[str, Unit], workers: UnitWorkers) -> UnitProblem:
        given = project_arguments(units, self.extensions)
        shown = self.fence.run("examples of docstrings", documented_calls, units, otherwise=[])
        arguments = Arguments(units, given, self.seen, documented_values(shown, units))
        end = self.timetable.now + TYPES_SHARE * self.timetable.plan.budget
        rng = derive(self.settings.seed, "types")
        late = learn_types(
            arguments, units, workers, rng, self.fence, lambda: self.timetable.now > end
        )
        units = {key: one for key, one in units.items() if key not in late}
        without = dict.fromkeys(units, ())
        constants: Mapping[str, Sequence[object]] = self.fence.run(
            "constants of the source",
            constants_of,
            units,
            self.recording.catalog,
            otherwise=without,
        )
        documented = documented_tests(shown, units, arguments)
        return UnitProblem(units, arguments, constants, documented)

    def _search(self, problem: UnitProblem, workers: UnitWorkers) -> UnitSearch:
        background = self.recording.background()
        known = background | self.known
        expected = [one for one in self.recording.catalog.targets() if one not in known]
        archive: Archive[UnitTest] = Archive(expected)
        meter = BudgetMeter(self.settings.budget, monotonic)
        timetable = self.timetable
        timetable.count_tests = lambda: written_tests(archive)
        timetable.usual_seconds = lambda: meter.elapsed / max(1, meter.evaluations)
        is_timely = timetable.plan.is_timely

        def share() -> float:
            return timetable.search_share() if is_timely else meter.share / SEARCH_SHARE

        context: SearchContext[Any] = SearchContext(
            problem=problem,
            archive=archive,
            rng=derive(self.settings.seed, "units"),
            progress=lambda: min(1.0, share()),
            control_dependencies=self.recording.catalog.control_dependencies,
        )
        algorithm = make_algorithm(self.settings.algorithm, context, tunables_for(self.settings))
        given = problem, algorithm, archive, workers, self.recording, meter, context.rng, share
        return UnitSearch(*given, self.host.stop_requested, self.sinks)

    def _minimized(self, search: UnitSearch) -> UnitHarvest:
        self._emit(PhaseStarted("minimize"))
        names = {unit.source for unit in search.problem.units.values()}
        entries = [one for one in self.recording.catalog.modules() if one.name in names]
        given = self.timetable, self.known, self.fence, self.settings.seed, self._emit
        return Minimizing(search, entries, *given).harvested()

    def _kept(
        self, harvest: UnitHarvest, held: ExitStack
    ) -> tuple[WrittenSuite, PytestProcess | None]:
        """Write the tests; a failure of this plugin is raised after the reports."""
        try:
            return self._written(harvest, held)
        except EvosearchError:
            raise
        except Exception as error:
            self.fence.note("the written tests", error)
            self.fence.worst = error
            return NOTHING_WRITTEN, None

    def _written(self, harvest: UnitHarvest, held: ExitStack) -> tuple[WrittenSuite, PytestProcess]:
        self._emit(PhaseStarted("write"))
        settings = self.settings
        process = PytestProcess(
            settings.rootdir,
            settings.command_line.arguments,
            plugins=settings.command_line.plugins,
            inherited=settings.command_line.variables,
        )
        process = held.enter_context(tidied(process, self.safe))
        self.host.release()
        brief = UnitBrief(
            self.folder,
            settings.rootdir,
            settings.command_line.command,
            run_name(settings),
            __version__,
            self.safe,
            self.fence,
            loop_mark(settings.rootdir, self.folder),
        )
        specimens = [
            one for one in harvest.specimens if not one.fault or settings.suite.faults != "off"
        ]
        return write_units(specimens, brief, self._verifier(process)), process

    def _verifier(self, process: PytestProcess) -> Verifier:
        is_once = self.settings.tunable("plan.circumstances") == "first"
        return FreshInterpreters(
            process,
            (PLAIN,) if is_once else ALL,
            report=lambda detail: self._emit(PhaseProgressed(detail)),
            limits=Limits(
                self.timetable.verifying(),
                self.timetable.least_of_verifying,
                self.timetable.first_run_seconds,
            ),
            renounced=[one for one in ALL if one is not PLAIN] if is_once else (),
        )

    def _mutation(self, process: PytestProcess | None, suite: WrittenSuite) -> MutationScore | None:
        number = self.settings.suite.mutants
        if not number or not suite.files or process is None:
            return None
        self._emit(PhaseStarted("mutate"))
        files = [entry.file for entry in self.recording.catalog.modules()]
        score = mutation_score(
            self.folder,
            process,
            files,
            number,
            derive(self.settings.seed, "mutants"),
            lambda: self.host.stop_requested() is not None,
        )
        if isinstance(score, MutationScore):
            return score
        self._emit(Notice(f"no mutation score: {score}"))
        return None

    def _reported(self, outcome: Outcome) -> Outcome:
        return with_reports(outcome, self.settings, self.fence)

    def _emit(self, event: Event) -> None:
        for sink in self.sinks:
            sink(event)
