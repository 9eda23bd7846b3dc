"""A whole run: prepare, search, harvest, write, and the outcome that reports are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.beginnings import FIRST_BEGINNING
from pytest_evosearch.engine.beginnings import Beginning
from pytest_evosearch.engine.beginnings import told_of_hanging
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.evidence import replays
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.fork_fallback import EXPERIENCED
from pytest_evosearch.engine.fork_fallback import GLANCED_AT
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.fork_fallback import asked_findings
from pytest_evosearch.engine.fork_fallback import experienced_tests
from pytest_evosearch.engine.fork_fallback import last_resort
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.inquiry import inquire
from pytest_evosearch.engine.islands import Companions
from pytest_evosearch.engine.islands import Home
from pytest_evosearch.engine.islands import Neighbourhood
from pytest_evosearch.engine.islands import Seclusion
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop import Statistics
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import reference_individuals
from pytest_evosearch.engine.starting_tests import examples
from pytest_evosearch.engine.summary import endpoint_rows
from pytest_evosearch.engine.summary import shown_path
from pytest_evosearch.engine.summary import summary
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.writing import check_conftest
from pytest_evosearch.engine.writing import executed_lines
from pytest_evosearch.engine.writing import measured
from pytest_evosearch.engine.writing import output_folder
from pytest_evosearch.engine.writing import report_folder
from pytest_evosearch.engine.writing import shares_database_file
from pytest_evosearch.engine.writing import strength_of_suite
from pytest_evosearch.engine.writing import suite_measurement
from pytest_evosearch.engine.writing import write_tests
from pytest_evosearch.harvest.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.files import PAGE
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import HASTY_HARVEST_SECONDS
from pytest_evosearch.settings.time_plan import LOOKING_SHARE
from pytest_evosearch.settings.time_plan import SLOW_START_SECONDS
from pytest_evosearch.settings.time_plan import SLOW_START_SHARE
from pytest_evosearch.settings.time_plan import time_plan
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.sut.documents.templates import template_text
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.writer import WrittenSuite

CUT_SHORT = (ExitReason.INTERRUPTED, ExitReason.FAILED, ExitReason.FAULTS)
"""Ends after which no more checks are run: the user has enough, or something is broken."""

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
        if self.settings.mutants:
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
            known_targets=ready.known_targets(),
            endpoints=endpoint_rows(ready, Statistics()),
            notices=ready.notices,
            findings=findings,
            reproduce=self.settings.reproduce,
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

    def _begin(self, phase: str) -> None:
        """Say that a phase begins, and how far the command is."""
        timetable = self.timetable
        timetable.begin_phase(phase)
        self._emit(PhaseStarted(phase, "", timetable.share, timetable.left))

    def _tell(self, detail: str) -> None:
        self._emit(PhaseProgressed(detail, self.timetable.share, self.timetable.left))

    def _tell_count(self, done: int, total: int) -> None:
        self.timetable.note(tests=total)
        self._tell(f"{done} of {total}")

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
            loop.keep = journal.keep_now_and_then
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

        def note_stays(why: str) -> None:
            if resort.is_open:
                resort.move(why)

        ready.admitted.state_stays = note_stays
        loop.check_state = look_at_state
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
        finished = self._harvest_and_write(ready, loop, reason, outcome, resort)
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

    def _harvest_and_write(
        self,
        ready: Prepared,
        loop: SearchLoop,
        reason: ExitReason,
        outcome: Outcome,
        resort: LastResort,
    ) -> Outcome:
        users = tuple(ready.handle.users)
        if reason not in CUT_SHORT:
            self._begin("inquire")
            left = self._minimizing_time(reason)
            inquire(self.settings, loop, lambda: left() <= 0, users)
        self._begin("minimize")
        limit = int(self.settings.tunable("minimize.evaluations"))
        time_left = self._minimizing_time(reason)
        keys = FetchedKeys(ready.constants())
        plan = self.timetable.plan
        overtime = 0.0 if reason is ExitReason.INTERRUPTED else plan.minimize_overtime
        tell = self._tell_count
        harvest = Harvest(
            ready.executor,
            loop.archive,
            time_left,
            limit,
            tell,
            users,
            keys,
            ready.problem.callers,
            self.extensions.stability,
            overtime,
            ready.permanence,
            ready.problem.model.described,
            plan.minimize_grace if reason is not ExitReason.INTERRUPTED else math.inf,
        )
        specimens = harvest.specimens()
        if ready.handle.outside:
            loop.statistics.forget_freezes(harvest.gone)
        # Where it is known beforehand that nothing restores the state, it is not checked.
        told = bool(ready.handle.unrestored)
        disagreements = [] if told else resort.check.notices(resort.hindrance)
        self._begin("write")
        corpus = replace(harvest.corpus(), wording=Wording.of(template_text(ready.handle.app)))
        wants_strength = self.settings.mutants > 0 and reason not in CUT_SHORT
        recipe = ready.handle.support.recipe
        unset = recipe.variables if recipe is not None else ()
        runs = PytestProcess(self.settings.rootdir, self.settings.arguments, unset=unset)
        cut_short, why = reason in CUT_SHORT, harvest.why_untested
        with tidied(runs, self.safe) as process:
            suite, coverage, replayed = self._write(
                ready, loop, specimens, corpus, process, why, cut_short=cut_short
            )
            if suite.files and wants_strength:
                outcome = self._with_strength(outcome, ready, process)
        dropped = (*harvest.dropped, *(DroppedRow(name, why) for name, why in suite.dropped))
        unread = ready.validators.notices
        notices = (*outcome.notices, *ready.state.notices(), *unread, *disagreements)
        notices = (*notices, *ready.offspring.notices(), *ready.admitted.notices())
        notices += tuple(ready.queries.notices()) if ready.queries is not None else ()
        if suite.notice:
            notices = (*notices, suite.notice)
        if suite.files and (endless := ready.endless_threads()):  # the fixtures are torn down
            notices = (*notices, endless)
        findings = {**outcome.findings, **resort.findings, **ready.admitted.findings}
        finished = replace(
            outcome, reason=reason, dropped=dropped, notices=notices, findings=findings
        )
        root = self.settings.rootdir
        return self._reported(
            summary(finished, ready, loop, specimens, suite, coverage, replayed, root)
        )

    def _write(
        self,
        ready: Prepared,
        loop: SearchLoop,
        specimens: Sequence[Specimen],
        corpus: Corpus,
        process: PytestProcess,
        why_untested: Callable[[TargetId], str],
        *,
        cut_short: bool,
    ) -> tuple[WrittenSuite, SuiteCoverage | None, Replays]:
        """Write the tests, let go of the application, verify them, measure what they cover."""
        measurement = suite_measurement(ready, process, self._measuring_time())
        beside = measurement.take if measurement is not None else None
        limits = Limits(
            self.timetable.verifying(),
            self.timetable.least_of_verifying,
            self.timetable.first_run_seconds,
        )
        interpreters = FreshInterpreters(process, tell=self._tell, beside=beside, limits=limits)
        if shares_database_file(ready.handle, self.settings.rootdir):
            interpreters.width = 1  # runs at once would wait for one another, and fail
        replayed: list[Replays] = []
        asked = ready, loop, specimens, why_untested, self.timetable.plan.replay_seconds

        def let_go() -> None:
            """Set nothing up here any more: from now on the tests run in other processes."""
            if not replayed:
                replayed.append(replays(*asked))
                ready.state()  # the written tests find files as the search found them
                ready.state.keeper.leave_servers()
                self.host.release()

        def verifier(folder: Path, tests: int) -> Verdict:
            """Verify what lies on disk by now."""
            let_go()
            verdict = interpreters(folder, tests)
            absence = ready.handle.absence() if verdict.failures else ""
            return Verdict(broken=absence) if absence else verdict

        def executed(folder: Path) -> AbstractSet[TargetId]:
            """Tell which lines the tests execute that lie on disk by now."""
            let_go()
            return executed_lines(ready, measurement, folder)

        suite = write_tests(
            self.settings,
            ready,
            specimens,
            corpus,
            verifier,
            executed,
            self.safe,
            cut_short=cut_short,
        )
        if measurement is not None:
            self._begin("measure")
        coverage = measured(self.settings, ready, measurement) if suite.files else None
        if not replayed:
            replayed.append(replays(*asked))
        return suite, coverage, replayed[0]

    def _with_strength(self, outcome: Outcome, ready: Prepared, process: PytestProcess) -> Outcome:
        """Return `outcome` with the mutation score of what was written, or why there is none."""
        self._begin("mutate")
        score = strength_of_suite(
            self.settings, ready, process, lambda: self.host.stop_requested() is not None
        )
        if isinstance(score, MutationScore):
            return replace(outcome, mutation=score)
        return replace(outcome, notices=(*outcome.notices, f"no mutation score: {score}"))

    def _reported(self, outcome: Outcome) -> Outcome:
        """Write the reports; one that cannot be written costs a notice and nothing else."""
        outcome = replace(outcome, algorithm=self.settings.algorithm)
        folder = report_folder(self.settings)
        written, failed = write_reports(outcome, folder, self.settings.rootdir)
        page = next((path for path in written if path.name == PAGE), None)
        shown = relative(page, self.settings.rootdir) if page is not None else ""
        return replace(outcome, report=shown, notices=(*outcome.notices, *failed))

    def _measuring_time(self) -> Callable[[], float]:
        """Return what tells how long a measurement may take: of a part of the tests it is wrong.

        So it may take longer than what is beside it.
        """
        left, least = self.timetable.verifying(), self.timetable.least_of_verifying
        return lambda: max(0.0, left()) + least

    def _minimizing_time(self, reason: ExitReason) -> Callable[[], float]:
        """Return what tells how long tests may still be minimised; counts bound evaluations."""
        plan, timetable = self.timetable.plan, self.timetable
        now = timetable.now
        if reason is ExitReason.INTERRUPTED:
            return timetable.until(now + HASTY_HARVEST_SECONDS)
        if plan.seconds is None:
            return lambda: math.inf if self.host.stop_requested() is None else 0.0
        if not plan.is_timely:
            return timetable.until(now + plan.minimize_seconds)
        return lambda: plan.end_of_minimizing(now, timetable.pace) - timetable.now
