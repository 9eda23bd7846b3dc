"""A run for units: find them, search, minimise, write, verify, report.

No unit is called in this process.  Their modules are imported here, as any test would do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field
from dataclasses import replace
from functools import partial
from itertools import count
from itertools import takewhile
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
from pytest_evosearch.engine.units.event_loops import loop_mark
from pytest_evosearch.engine.units.project_arguments import project_arguments
from pytest_evosearch.engine.units.unit_judging import fault_of
from pytest_evosearch.engine.units.unit_judging import targets_of
from pytest_evosearch.engine.units.unit_relations import related
from pytest_evosearch.engine.units.unit_search import UnitSearch
from pytest_evosearch.engine.units.unit_strength import further_tests
from pytest_evosearch.engine.units.unit_strength import strengthened
from pytest_evosearch.engine.units.unit_types import learn_types
from pytest_evosearch.engine.writing import run_name
from pytest_evosearch.errors import EvosearchError
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.execution.units.workers import UnitWorkers
from pytest_evosearch.harvest.unit_harvest import UnitHarvest
from pytest_evosearch.harvest.unit_harvest import covered_by
from pytest_evosearch.harvest.unit_harvest import harvested
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.constants import constants_of
from pytest_evosearch.problem.units.documented_calls import documented_calls
from pytest_evosearch.problem.units.documented_calls import documented_tests
from pytest_evosearch.problem.units.documented_calls import documented_values
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.problem.units.unit_problem import usual_at
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.search.algorithms import make_algorithm
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import SEARCH_SHARE
from pytest_evosearch.settings.time_plan import time_plan
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.strength.score import mutation_score
from pytest_evosearch.write.units.neutral_form import neutral_form
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen
from pytest_evosearch.write.units.unit_suite import UnitBrief
from pytest_evosearch.write.units.unit_suite import write_units
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.written_suite import WrittenSuite

FAILED = "its tests could not be made, by a mistake of this plugin that another notice tells"

ROWS = "rows of the report"
"""How a notice names a part of the report."""

EXECUTIONS_A_PROGRESS = 500
"""Executions of tests between two reports of progress while tests are minimised."""

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
        self.timetable = Timetable(time_plan(self.settings), self.began)

    def execute(self) -> Outcome:
        """Run every phase, and return the outcome."""
        found = self._units()
        if not found:
            raise NothingToGenerate("no unit is left after --evosearch-only and --evosearch-skip")
        units = by_key(found)
        self.recording.retire_background()
        self._announce(found)
        outcome = Outcome(
            ExitReason.PLAN,
            self.settings.seed,
            algorithm=self.settings.algorithm,
            reproduce=self.settings.command_line.reproduce,
            targets=TargetSummary(known=len(self.recording.catalog)),
            discovery=Discovery(_rows(found, {}), (), self._findings(found), noun="unit"),
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
        given = project_arguments(units, self.extensions)
        shown = self.fence.run("examples of docstrings", documented_calls, units, otherwise=[])
        arguments = Arguments(units, given, self.seen, documented_values(shown, units))
        learn_types(arguments, units, workers, derive(self.settings.seed, "types"), self.fence)
        without = dict.fromkeys(units, ())
        constants: Mapping[str, Sequence[object]] = self.fence.run(
            "constants of the source",
            constants_of,
            units,
            self.recording.catalog,
            otherwise=without,
        )
        documented = documented_tests(shown, units, arguments)
        problem = UnitProblem(units, arguments, constants, documented)
        search = self._search(problem, workers)
        self._emit(PhaseStarted("search"))
        self.timetable.note(loading=self.timetable.now, processors=processors())
        self.timetable.begin_search()
        reason = self.fence.run("the search", search.run, otherwise=ExitReason.FAILED)
        seconds = search.meter.elapsed
        nothing = UnitHarvest(())
        harvest = self.fence.run("minimising", self._harvest, search, otherwise=nothing)
        suite, process = self._kept(harvest, held)
        mutation = self.fence.run("mutants", self._mutation, process, suite, otherwise=None)
        archive = search.archive
        self.covered = frozenset(archive.covered)
        given_up = sorted(problem.given_up)
        notices = [f"{key} was given up: {workers.harms.get(key, FAILED)}" for key in given_up]
        notices += [*harvest.notices, *([suite.notice] if suite.notice else [])]
        dropped = (*harvest.dropped, *suite.dropped)
        return replace(
            outcome,
            reason=reason,
            notices=tuple(notices),
            faults=tuple(self.fence.run(ROWS, _fault_rows, harvest, suite, otherwise=())),
            discovery=replace(
                outcome.discovery, endpoints=_rows(list(units.values()), search.calls)
            ),
            effort=Effort(
                search.meter.evaluations, search.meter.evaluations, seconds, tuple(search.timeline)
            ),
            targets=TargetSummary(
                len(archive.covered), len(archive.covered) + len(archive.best), len(archive.known)
            ),
            suite=SuiteSummary(
                tuple(suite.files),
                suite.tests,
                self.fence.run(ROWS, _generated, harvest, suite, otherwise=()),
                dropped=tuple(DroppedRow(*one) for one in dropped),
                unverified=tuple(suite.unverified),
                extent=suite.extent,
                mutation=mutation,
            ),
        )

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

    def _harvest(self, search: UnitSearch) -> UnitHarvest:
        self._emit(PhaseStarted("minimize"))
        units = search.problem.units
        plan, timetable = self.timetable.plan, self.timetable
        if plan.is_timely:
            end = plan.end_of_minimizing(timetable.now, timetable.pace)
        else:
            end = math.inf if plan.seconds is None else timetable.now + plan.minimize_seconds

        numbers = count(1)

        def execute(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
            if not (number := next(numbers)) % EXECUTIONS_A_PROGRESS:
                self._emit(PhaseProgressed(f"{number} executions"))
            run = search.workers.execute(test.sent(), full=True, apart=apart)
            unit = units[test.act.unit]
            ends = targets_of(test, run, unit, confirmation_of(test, search.problem))
            return run, covered_by({**run.scores, **ends}) - self.known

        def why_fault(test: UnitTest, result: Result) -> str | None:
            return fault_of(units[test.act.unit], result, confirmation_of(test, search.problem))

        entries = [one for one in self.recording.catalog.modules() if one.name in self._modules]
        tests = [evaluation.individual for evaluation in search.archive.tests()]

        def left() -> float:
            return end - timetable.now

        def further() -> Iterator[UnitTest]:
            least = left() / 2
            fresh = further_tests(search.problem, derive(self.settings.seed, "further tests"))
            return takewhile(lambda _test: left() > least, fresh)

        def is_over() -> bool:
            return left() <= 0

        add = partial(strengthened, entries, search.problem, search.workers, left)
        given = tests, further, units, execute, why_fault, is_over, add
        usual = partial(usual_at, search.problem)
        harvest = harvested(*given, self.fence, search.problem.documented, usual)
        rng = derive(self.settings.seed, "relations")
        known = [one.test for one in harvest.specimens]
        more, notices = related(search.problem, search.workers, known, rng, is_over, self.fence)
        specimens = (*harvest.specimens, *more)
        return replace(harvest, specimens=specimens, notices=tuple(notices))

    @property
    def _modules(self) -> set[str]:
        return {name.partition(":")[0] for name in self.settings.application.units}

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
        is_once = settings.tunable("plan.circumstances") == "first"
        verifier = FreshInterpreters(
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
        specimens = [
            one for one in harvest.specimens if not one.fault or settings.suite.faults != "off"
        ]
        return write_units(specimens, brief, verifier), process

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


def _rows(units: Sequence[Unit], calls: dict[str, int]) -> tuple[EndpointRow, ...]:
    return tuple(
        EndpointRow(
            unit.key,
            (),
            calls.get(unit.key, 0),
            len(unit.parameters),
            tuple(one.name for one in unit.parameters),
        )
        for unit in units
    )


def _generated(harvest: UnitHarvest, suite: WrittenSuite) -> tuple[GeneratedRow, ...]:
    """Return a row for each written test, with its calls and results in a neutral form."""
    rows: dict[str, list[UnitSpecimen]] = {}
    for index, name in suite.test_of.items():
        rows.setdefault(name, []).append(harvest.specimens[index])
    return tuple(
        GeneratedRow(
            name,
            covered=len(frozenset().union(*(one.targets for one in members))),
            shows_fault=any(one.fault for one in members),
            units=tuple(neutral_form(one) for one in members),
        )
        for name, members in sorted(rows.items())
    )


def _fault_rows(harvest: UnitHarvest, suite: WrittenSuite) -> list[FaultRow]:
    rows = []
    for index, specimen in enumerate(harvest.specimens):
        raised = specimen.result.raised
        if specimen.fault and raised is not None:
            rows.append(
                FaultRow(
                    FAULT_CODE,
                    specimen.unit.key,
                    raised.kind.name,
                    f"{raised.path}:{raised.line}",
                    raised.message,
                    test=suite.test_of.get(index),
                )
            )
    return rows


FAULT_CODE = "unit-error"
"""The code of an error that a unit raises by accident."""
