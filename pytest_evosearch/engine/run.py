"""A whole run: prepare, search, harvest, write, and the outcome that reports are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
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
from pytest_evosearch.engine.algorithm_choice import SEARCH_SHARE
from pytest_evosearch.engine.algorithm_choice import make_loop
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
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.sut.documents.templates import template_text
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.writer import WrittenSuite

CUT_SHORT = (ExitReason.INTERRUPTED, ExitReason.FAILED, ExitReason.FAULTS)
"""Ends after which nothing more is asked: somebody has enough, or something is broken."""

HARVEST_FLOOR_SECONDS = 20.0
"""Minimisation may take this long even after the shortest budget: short tests are the point.

With ten seconds 8 of 103 tests of a slow application (archivy, 30 s) stayed as they were found,
which were the longest ones.
"""

HARVEST_AS_LONG_AS_SEARCHED = 60.0
"""Seconds up to which it may take as long as the search did.

Of an application with ten tests a second (SearXNG, 45 s) twenty seconds are three executions a
test, which leave eleven cookies where one is needed; verifying takes longer in any case.
"""

SLOW_HARVEST_SECONDS = 60.0
"""As much longer where the tests are many and slow.

An Otter Wiki, 40 s: of 163 tests 112 were begun when the time was up, and verifying them all
took nine minutes.
"""

HASTY_HARVEST_SECONDS = 10.0
"""The same after Ctrl-C: somebody is waiting."""

LOOKING_SHARE = 0.05
"""Of the time of a search, for looking whether the state comes back, and again for the last
look of all: on an application that takes long each fork takes half a second."""

SLOW_START_SECONDS = 10.0
SLOW_START_SHARE = 0.2
"""What an application may take to be ready, in seconds and of the budget, without a word."""

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
) -> Outcome:
    """Search the host's application and write its tests; what is found is never lost.

    `extensions` are what the project adds; `companions` are processes that search beside this
    one, None to search alone; `safe` keeps what is changed, should the process die.
    """
    return Run(settings, host, sinks, recording, extensions, companions, safe).execute()


def harvest_seconds(budget: float) -> float:
    """Return how long tests may be minimised after a budget of seconds."""
    as_long = min(budget, HARVEST_AS_LONG_AS_SEARCHED)
    return max(HARVEST_FLOOR_SECONDS, as_long, (1 - SEARCH_SHARE) * budget)


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
    ) -> None:
        self.settings = settings
        self.host = host
        self.sinks = sinks
        self.recording = recording
        self.extensions = extensions
        self.companions = companions
        self.safe = safe

    def execute(self) -> Outcome:
        """Run every phase and return the outcome."""
        if self.settings.mutants:
            require_library()
        began = monotonic()
        surroundings = self.host, self.recording, self.extensions, self.safe
        with prepared(self.settings, *surroundings) as ready:
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
        """Say what took long before the search, whose budget does not count it."""
        budget = self.settings.budget.seconds
        if budget is None or seconds < SLOW_START_SECONDS or seconds < SLOW_START_SHARE * budget:
            return outcome
        told = (
            f"making the application ready took {seconds:.0f} s before the search, which its "
            "budget does not count: see what its import and the fixtures of the tests do"
        )
        return replace(outcome, notices=(*outcome.notices, told))

    def _notify(self, line: str) -> None:
        self._emit(Notice(line))

    def _tell(self, detail: str) -> None:
        self._emit(PhaseProgressed(detail))

    def _tell_count(self, done: int, total: int) -> None:
        self._tell(f"{done} of {total}")

    def _emit(self, event: Event) -> None:
        for sink in self.sinks:
            sink(event)

    def _search_and_write(self, ready: Prepared, outcome: Outcome) -> Outcome:
        ready.executor.tell = ready.admitted.tell = self._notify
        ready.admitted.folder = output_folder(self.settings, ready.handle.support)
        loop = make_loop(self.settings, self.host, ready, self.sinks)
        users = (None, *ready.handle.users)
        check = SelfCheck(ready.executor.repeat, reference_individuals(ready.endpoints, users))
        journal = Journal(report_folder(self.settings), ready.handle.description, loop.archive)
        endpoints = [endpoint.key for endpoint in ready.endpoints]
        with ready.offspring.watched(), journal.kept(endpoints):
            if journal.death:
                number = len(journal.unfinished)
                further = f"; going on from its {counted(number, 'test')}" if number else ""
                self._notify(f"{journal.death}{further}")
            ready.current.tell = journal.note_call
            loop.keep = journal.keep_now_and_then
            with last_resort(self.settings, ready, check, self._notify, journal.guilty) as resort:
                return self._search_beside(resort, ready, loop, outcome, journal)

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

        loop.check_state = look_at_state
        for page in resort.check.hanging:
            ready.problem.expect_freeze(page)
        island = self._settle(loop)
        self._emit(PhaseStarted("search"))
        loop.announce()
        failure: Exception | None = None
        # Looking whether the state comes back, and starting companions, is no search.
        loop.meter.restart()
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
                f"{counted(withdrawn, 'fault')} that showed only in a state that earlier tests had "
                "left withdrawn: they count once they show again"
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
            self._emit(PhaseStarted("inquire"))
            left = self._time_left(loop, reason)
            inquire(self.settings, loop, lambda: left() <= 0, users)
        self._emit(PhaseStarted("minimize"))
        limit = int(self.settings.tunable("minimize.evaluations"))
        time_left = self._time_left(loop, reason)
        keys = FetchedKeys(ready.constants())
        overtime = 0.0 if reason is ExitReason.INTERRUPTED else SLOW_HARVEST_SECONDS
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
        )
        specimens = harvest.specimens()
        if ready.handle.outside:
            loop.statistics.forget_freezes(harvest.gone)
        # Where it is known beforehand that nothing brings the state back, nobody asks for it.
        told = bool(ready.handle.unrestored)
        disagreements = [] if told else resort.check.notices(resort.hindrance)
        self._emit(PhaseStarted("write"))
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
        measurement = suite_measurement(ready, process)
        beside = measurement.take if measurement is not None else None
        interpreters = FreshInterpreters(process, tell=self._tell, beside=beside)
        if shares_database_file(ready.handle, self.settings.rootdir):
            interpreters.width = 1  # runs at once would wait for one another, and fail
        replayed: list[Replays] = []

        def let_go() -> None:
            """Set nothing up here any more: from now on the tests run in other processes."""
            if not replayed:
                replayed.append(replays(ready, loop, specimens, why_untested))
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
            self._emit(PhaseStarted("measure"))
        coverage = measured(self.settings, ready, measurement) if suite.files else None
        if not replayed:
            replayed.append(replays(ready, loop, specimens, why_untested))
        return suite, coverage, replayed[0]

    def _with_strength(self, outcome: Outcome, ready: Prepared, process: PytestProcess) -> Outcome:
        """Return `outcome` with the mutation score of what was written, or why there is none."""
        self._emit(PhaseStarted("mutate"))
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

    def _time_left(self, loop: SearchLoop, reason: ExitReason) -> Callable[[], float]:
        """Bound the harvest of a budget of seconds; one of evaluations is bounded by counts."""
        budget = loop.meter.budget
        if budget.seconds is None and reason is not ExitReason.INTERRUPTED:
            return lambda: math.inf if self.host.stop_requested() is None else 0.0
        allowed = HASTY_HARVEST_SECONDS
        if budget.seconds is not None and reason is not ExitReason.INTERRUPTED:
            allowed = harvest_seconds(budget.seconds)
        end = loop.meter.elapsed + allowed
        return lambda: end - loop.meter.elapsed
