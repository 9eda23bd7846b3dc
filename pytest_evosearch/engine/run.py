"""A whole run: prepare, search, harvest, write, and the outcome that reports are made of."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import replace

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.beginnings import FIRST_BEGINNING
from pytest_evosearch.engine.beginnings import Beginning
from pytest_evosearch.engine.beginnings import told_of_hanging
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.fork_fallback import EXPERIENCED
from pytest_evosearch.engine.fork_fallback import GLANCED_AT
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.fork_fallback import asked_findings
from pytest_evosearch.engine.fork_fallback import experienced_tests
from pytest_evosearch.engine.fork_fallback import last_resort
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.islands import Companions
from pytest_evosearch.engine.islands import Home
from pytest_evosearch.engine.islands import Neighbourhood
from pytest_evosearch.engine.islands import Seclusion
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop import Statistics
from pytest_evosearch.engine.phases.found import CUT_SHORT
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.found import RunContext
from pytest_evosearch.engine.phases.mutation_testing import MutationTesting
from pytest_evosearch.engine.phases.phase import Phase
from pytest_evosearch.engine.phases.phase import run_phases
from pytest_evosearch.engine.phases.reduction import Reduction
from pytest_evosearch.engine.phases.reports import reported
from pytest_evosearch.engine.phases.targeted_checks import FreezeConfirmation
from pytest_evosearch.engine.phases.targeted_checks import TargetedChecks
from pytest_evosearch.engine.phases.verified_writing import VerifiedWriting
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import reference_individuals
from pytest_evosearch.engine.starting_tests import examples
from pytest_evosearch.engine.summary import endpoint_rows
from pytest_evosearch.engine.summary import shown_path
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.writing import check_conftest
from pytest_evosearch.engine.writing import output_folder
from pytest_evosearch.engine.writing import report_folder
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import LOOKING_SHARE
from pytest_evosearch.settings.time_plan import SLOW_START_SECONDS
from pytest_evosearch.settings.time_plan import SLOW_START_SHARE
from pytest_evosearch.settings.time_plan import time_plan
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.verification.simultaneous import processors

PHASES: Sequence[Phase] = (
    TargetedChecks(),
    FreezeConfirmation(),
    Reduction(),
    VerifiedWriting(),
    MutationTesting(),
)
"""What follows the search, in this order; then the outcome is reported."""

MOST_USERS = 3
"""Users as whom the requests of one of the project's own tests are tried."""


def run(
    settings: Settings,
    host: Host,
    sinks: Sequence[Sink] = (),
    recording: Recording | None = None,
    extensions: Extensions = NO_EXTENSIONS,
    companions: Companions | None = None,
    safe: Safekeeping | None = None,
    began: float | None = None,
    beginning: Beginning | None = None,
) -> Outcome:
    """Search the host's application and write its tests; what is found is never lost.

    `extensions` are what the project adds; `companions` are processes that search beside this
    one, None to search alone; `safe` keeps what is changed, should the process die; `began` is the
    moment at which the command was started, as `core.clock.monotonic` tells it; `beginning` says
    how to begin anew, and whether this run has.
    """
    given = settings, host, sinks, recording, extensions, companions, safe
    return Run(*given, began, beginning or FIRST_BEGINNING).execute()


class Run:
    """One run from discovery to the outcome."""

    def __init__(
        self,
        settings: Settings,
        host: Host,
        sinks: Sequence[Sink],
        recording: Recording | None,
        extensions: Extensions = NO_EXTENSIONS,
        companions: Companions | None = None,
        safe: Safekeeping | None = None,
        began: float | None = None,
        beginning: Beginning = FIRST_BEGINNING,
    ) -> None:
        self.settings = settings
        self.began = monotonic() if began is None else began
        counted_from = beginning.counted_from(self.began, settings.budget)
        self.timetable = Timetable(time_plan(settings), counted_from)
        self.host = host
        self.sinks = sinks
        self.recording = recording
        self.extensions = extensions
        self.companions = companions
        self.safe = safe
        self.beginning = beginning

    def execute(self) -> Outcome:
        """Run every phase and return the outcome."""
        if self.settings.suite.mutants:
            require_library()
        began = monotonic()
        surroundings = self.host, self.recording, self.extensions, self.safe
        with prepared(self.settings, *surroundings) as ready:
            self.timetable.note(
                loading=self.timetable.now,
                set_up=ready.handle.set_up_seconds,
                processors=processors(),
            )
            outcome = self._discovered(ready)
            outcome = self._with_slow_start(outcome, monotonic() - began)
            if self.settings.plan:
                return outcome
            folder = output_folder(self.settings, ready.handle.support)
            check_writable(folder)
            check_conftest(folder, ready.handle)
            return self._search_and_write(ready, outcome)

    def _discovered(self, ready: Prepared) -> Outcome:
        """Say what was found, and return the outcome of a run that stops here."""
        folder = output_folder(self.settings, ready.handle.support)
        findings = {
            **ready.findings,
            **asked_findings(self.settings, ready),
            "output": shown_path(folder, self.settings.rootdir),
        }
        if self.settings.plan:
            findings["time"] = self.timetable.plan.description
        self._emit(Discovered(findings))
        for notice in ready.notices:
            self._emit(Notice(notice))
        return Outcome(
            ExitReason.PLAN,
            self.settings.seed,
            notices=ready.notices,
            reproduce=self.settings.command_line.reproduce,
            targets=TargetSummary(known=ready.known_targets()),
            discovery=Discovery(endpoints=endpoint_rows(ready, Statistics()), findings=findings),
        )

    def _with_slow_start(self, outcome: Outcome, seconds: float) -> Outcome:
        """Say what took long before the search."""
        budget = self.settings.budget.seconds
        if budget is None or seconds < SLOW_START_SECONDS or seconds < SLOW_START_SHARE * budget:
            return outcome
        told = (
            f"setting up the application took {seconds:.0f} s of the time before the search: "
            "check what its import and its fixtures do"
        )
        return replace(outcome, notices=(*outcome.notices, told))

    def _notify(self, line: str) -> None:
        self._emit(Notice(line))

    def _emit(self, event: Event) -> None:
        for sink in self.sinks:
            sink(event)

    def _search_and_write(self, ready: Prepared, outcome: Outcome) -> Outcome:
        ready.executor.tell = ready.admitted.tell = self._notify
        ready.admitted.folder = output_folder(self.settings, ready.handle.support)
        loop = make_loop(self.settings, self.host, ready, self.sinks, self.timetable)
        users = (None, *ready.handle.users)
        check = SelfCheck(ready.executor.repeat, reference_individuals(ready.endpoints, users))
        journal = Journal(report_folder(self.settings), ready.handle.description, loop.archive)
        endpoints = [endpoint.key for endpoint in ready.endpoints]
        with (
            ready.offspring.watched(),
            journal.kept(endpoints),
            self._beginning_anew(ready, journal) as hung,
        ):
            if journal.death:
                number = len(journal.unfinished)
                further = f"; going on from its {counted(number, 'test')}" if number else ""
                self._notify(f"{journal.death}{further}")
            ready.current.tell = journal.note_call
            loop.occasions.keep = journal.keep_now_and_then
            if hung:
                check.hanging.extend(hung)
                self._notify(told_of_hanging(hung))
            given = self.settings, ready, check, self._notify
            with last_resort(*given, journal.guilty, hung) as resort:
                return self._search_beside(resort, ready, loop, outcome, journal)

    @contextmanager
    def _beginning_anew(self, ready: Prepared, journal: Journal) -> Iterator[Sequence[str]]:
        """Begin anew when a call hangs in C; yield the endpoints that have hung."""
        hung = tuple(dict.fromkeys((*self.beginning.hung, *journal.hung)))
        given = journal.note, hung, ready.offspring.ceiling, self.settings.budget
        with self.beginning.can_be_followed(self.began, *given):
            yield hung

    def _search_beside(
        self,
        resort: LastResort,
        ready: Prepared,
        loop: SearchLoop,
        outcome: Outcome,
        journal: Journal,
    ) -> Outcome:
        # Looking must not eat up a budget of seconds; one of evaluations is to be repeatable.
        if self.settings.budget.seconds is not None:
            resort.patience = LOOKING_SHARE * self.settings.budget.seconds

        def look_at_state() -> None:
            counted = self.settings.budget.seconds is None
            if counted or resort.seconds <= LOOKING_SHARE * loop.meter.elapsed:
                was_open = resort.is_open
                resort.consider(experienced_tests(loop.archive, GLANCED_AT))
                if was_open and resort.reason:
                    self._reconsider(loop)

        loop.occasions.check_state = look_at_state
        for page in resort.check.hanging:
            ready.problem.expect_freeze(page)
        island = self._settle(loop)
        self._emit(PhaseStarted("search"))
        loop.announce()
        failure: Exception | None = None
        # Looking whether the state comes back, and starting companions, is no search.
        loop.meter.restart()
        self.timetable.begin_search()
        try:
            loop.go_on_with(journal.unfinished)
            loop.start_with(examples(self.settings, ready), tuple(ready.handle.users)[:MOST_USERS])
            reason = loop.run()
            loop.take_in(island.gather())
            if reason not in CUT_SHORT:
                resort.consider(experienced_tests(loop.archive, EXPERIENCED))
        except Exception as error:
            # Our own bug: what was found is written first, then it is shown in full.
            failure, reason = error, ExitReason.FAILED
        journal.keep()
        if reason is ExitReason.INTERRUPTED and (absence := ready.handle.absence()):
            outcome = replace(outcome, notices=(*outcome.notices, absence))
        finished = self._finished(ready, loop, reason, outcome, resort)
        if failure is not None:
            raise failure
        return finished

    def _reconsider(self, loop: SearchLoop) -> None:
        """Withdraw what was seen only because earlier tests had left something."""
        withdrawn = loop.reconsider()
        if withdrawn:
            self._notify(
                f"{counted(withdrawn, 'fault')} withdrawn: seen only in a state that earlier tests "
                "had left; a fault counts when it is seen again"
            )

    def _settle(self, loop: SearchLoop) -> Neighbourhood:
        """Connect the loop with the searches beside it."""
        if self.companions is None:
            return Seclusion()
        return Home(self.companions, loop, self._notify)

    def _finished(
        self,
        ready: Prepared,
        loop: SearchLoop,
        reason: ExitReason,
        outcome: Outcome,
        resort: LastResort,
    ) -> Outcome:
        """Run the phases that follow the search, and report."""
        context = RunContext(
            self.settings, self.host, self.extensions, self.safe, self.timetable, self._emit
        )
        with ExitStack() as held:
            found = Found(context, ready, loop, resort, reason, outcome, held)
            run_phases(PHASES, found)
        return reported(found)
