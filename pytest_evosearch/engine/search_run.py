"""The search of a run: from what is prepared to the archive, whatever happens.

The run of an island that another process started ends with it.
"""

from __future__ import annotations

import math
from abc import ABC
from abc import abstractmethod
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.beginnings import Dangers
from pytest_evosearch.engine.beside.assistance import Assistance
from pytest_evosearch.engine.beside.early_findings import EarlyFindings
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.browsing.browser_phase import browsed
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.fork_fallback import EXPERIENCED
from pytest_evosearch.engine.fork_fallback import GLANCED_AT
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.fork_fallback import experienced_tests
from pytest_evosearch.engine.fork_fallback import last_resort
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.islands import Home
from pytest_evosearch.engine.islands import Neighbourhood
from pytest_evosearch.engine.islands import Outlying
from pytest_evosearch.engine.islands import Seclusion
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.phases.found import CUT_SHORT
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.found import RunContext
from pytest_evosearch.engine.preparing.finisher_hindrance import hindrance
from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.preparing.fork_findings import CRASHING
from pytest_evosearch.engine.preparing.planned_run import PlannedRun
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import reference_individuals
from pytest_evosearch.engine.starting_tests import examples
from pytest_evosearch.engine.writing import check_conftest
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import LOOKING_SHARE
from pytest_evosearch.settings.phase_shares import START_SHARE
from pytest_evosearch.sut.browser.installed_browser import found_browser
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.verification.simultaneous import processors

MOST_USERS = 3
"""Users as whom one request of the project's own tests is tried, at most."""


class SearchRun(PlannedRun, ABC):
    """A run that searches."""

    @cached_property
    def browser(self) -> str:
        """Return the program of the browser; raise `InvalidSetting` where none is installed."""
        return found_browser(os.environ, Path.home())

    @cached_property
    def early(self) -> EarlyFindings:
        """Return what a process beside the search has finished by now."""
        return EarlyFindings()

    def _followed(self, ready: Prepared, outcome: Outcome) -> Outcome:
        """Search, and return the outcome of what was found."""
        folder = output_folder(self.settings, ready.handle.support)
        check_writable(folder)
        check_conftest(folder, ready.handle)
        self.timetable.note(processors=processors())
        return self._search_and_write(ready, outcome)

    def _search_and_write(self, ready: Prepared, outcome: Outcome) -> Outcome:
        ready.executor.notify = ready.admitted.notify = self._notify
        ready.admitted.folder = output_folder(self.settings, ready.handle.support)
        loop = make_loop(self.settings, self.host, ready, self.sinks, self.timetable)
        users = (None, *ready.handle.users)
        pages = reference_individuals(ready.endpoints, users)
        check = SelfCheck(ready.executor.repeat, pages, self._looking_seconds)
        place = report_folder(self.settings), self.settings.rootdir
        takes_up = self.settings.budget.seconds is not None
        journal = Journal(*place, ready.handle.description, loop.archive, takes_up)
        endpoints = [endpoint.key for endpoint in ready.endpoints]
        with (
            ready.offspring.watched(),
            journal.kept(endpoints),
            self._beginning_anew(ready, journal) as dangers,
            journal.crashes_noted(),
        ):
            if not self.beginning.began:
                self._tell_of_earlier_run(journal)
            ready.current.announce = journal.note_call
            loop.occasions.keep = journal.keep_now_and_then
            check.hanging.extend(dangers.hung)
            for line in dangers.lines():
                self._notify(line)
            given = self.settings, ready, check, self._notify
            with last_resort(*given, self._died(journal, dangers), dangers.apart) as resort:
                return self._search_beside(resort, ready, loop, outcome, journal)

    def _tell_of_earlier_run(self, journal: Journal) -> None:
        """Show from which tests this run goes on, and how an earlier run died."""
        number = len(journal.unfinished)
        if journal.death:
            further = f"; going on from its {counted(number, 'test')}" if number else ""
            self._notify(f"{journal.death}{further}")
        elif number:
            tests = counted(number, "test")
            self._notify(f"going on from {tests} for which an earlier run had no time")

    @property
    def _looking_seconds(self) -> float:
        """Return the seconds that each check of the state may take."""
        seconds = self.settings.budget.seconds
        return math.inf if seconds is None else LOOKING_SHARE * seconds

    @contextmanager
    def _beginning_anew(self, ready: Prepared, journal: Journal) -> Iterator[Dangers]:
        """Start again when a call hangs or crashes in C; yield the endpoints that have done so."""
        dangers = self._dangers(journal)
        given = journal.note, dangers, ready.offspring.ceiling, self.settings.budget
        with self.beginning.can_be_followed(self.began, *given):
            yield dangers

    def _dangers(self, journal: Journal) -> Dangers:
        """Return the endpoints that have hung or crashed in this command so far."""
        known, has_begun_anew = self.beginning.dangers, bool(self.beginning.began)
        crashed = {journal.guilty: journal.crash} if has_begun_anew and journal.guilty else {}
        return Dangers(
            tuple(dict.fromkeys((*known.hung, *journal.hung))),
            {**known.crashed, **crashed},
            known.unknown or (has_begun_anew and bool(journal.death) and not crashed),
        )

    def _died(self, journal: Journal, dangers: Dangers) -> str:
        """Return why each test needs its own process; empty where none does."""
        if self.beginning.began:
            return CRASHING if dangers.are_everywhere else ""
        return journal.guilty

    def _search_beside(
        self,
        resort: LastResort,
        ready: Prepared,
        loop: SearchLoop,
        outcome: Outcome,
        journal: Journal,
    ) -> Outcome:
        self._watch_state(resort, ready, loop)
        for page in resort.check.hanging:
            ready.problem.known.freezes.expect(page)
        island = self._settle(loop, resort)
        self._emit(PhaseStarted("search"))
        loop.announce()
        failure: Exception | None = None
        # Checking the state and starting companions is not part of the search.
        loop.meter.restart()
        self.timetable.begin_search()
        try:
            reason = self._explored(loop, ready, journal)
            loop.take_in(island.gather())
            outcome = self._browsed(loop, resort, outcome, reason)
            if outcome.effort.browser:
                reason = self._gone_on(loop)
            if reason not in CUT_SHORT:
                resort.consider(experienced_tests(loop.archive, EXPERIENCED))
        except Exception as error:
            # A bug of this plugin: write what was found first, then show the bug in full.
            failure, reason = error, ExitReason.FAILED
        ready.fence.run("the journal", journal.keep, otherwise=None)
        if reason is ExitReason.INTERRUPTED and (absence := ready.handle.absence()):
            outcome = replace(outcome, notices=(*outcome.notices, absence))
        given = self.settings, self.host, self.extensions, self.safe, self.timetable, self._emit
        context = RunContext(*given, self.early, journal.postpone)
        found = Found(context, ready, loop, resort, reason, outcome)
        finished = self._finished(found)
        if failure := failure or ready.fence.worst:
            raise failure
        return finished

    def _watch_state(self, resort: LastResort, ready: Prepared, loop: SearchLoop) -> None:
        """Look now and then, during the search, whether the application's state comes back."""
        # Checks must not use up a budget of seconds; a run with a budget of evaluations is
        # repeatable.
        resort.patience = self._looking_seconds

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
        loop.occasions.check_state = look_at_state

    def _explored(self, loop: SearchLoop, ready: Prepared, journal: Journal) -> ExitReason:
        """Search, and return why the search ended."""
        # Slow tests leave time for the search.
        loop.take_in(journal.take_up(lambda: loop.share > START_SHARE), within_budget=True)
        loop.start_with(examples(ready), tuple(ready.handle.users)[:MOST_USERS])
        return loop.run()

    def _browsed(
        self, loop: SearchLoop, resort: LastResort, outcome: Outcome, reason: ExitReason
    ) -> Outcome:
        """Visit pages with a browser where one is wanted, and add what came of it."""
        if not loop.ending.share < 1.0 or reason in CUT_SHORT:
            return outcome
        self._emit(PhaseStarted("visiting pages with a browser"))
        unfit = "each test runs in a process of its own" if resort.reason else ""
        came = browsed(self.settings, self.browser, resort.ready, loop, unfit)
        return replace(
            outcome,
            notices=(*outcome.notices, *came.notices()),
            effort=replace(outcome.effort, browser=came.summary()),
        )

    def _gone_on(self, loop: SearchLoop) -> ExitReason:
        """Search with what visits have left of the budget, and return why the search ended."""
        if loop.ending.is_interrupted():
            return ExitReason.INTERRUPTED
        if loop.share < 1.0:
            self._emit(PhaseStarted("search"))
        loop.ending.share = 1.0
        return loop.run()

    def _reconsider(self, loop: SearchLoop) -> None:
        """Withdraw what was seen only because earlier tests had left state."""
        withdrawn = loop.reconsider()
        if withdrawn:
            self._notify(
                f"{counted(withdrawn, 'fault')} withdrawn: seen only in a state that earlier tests "
                "had left; a fault counts if it occurs again"
            )

    def _settle(self, loop: SearchLoop, resort: LastResort) -> Neighbourhood:
        """Connect the loop with the processes beside it."""
        if self.companions is None:
            return Seclusion()
        if self.settings.search.islands > 1:
            return Home(self.companions, loop, self._notify)

        def why_not() -> str:
            started = self.timetable.pace.ready
            return resort.reason or hindrance(self.settings, resort.ready, started)

        self.timetable.count_finished = self.early.counts
        return Assistance(self.companions, loop, self.early, why_not)

    @abstractmethod
    def _finished(self, found: Found) -> Outcome:
        """Make the result of this run from what was found; undo nothing, and lose nothing."""


class MailedRun(SearchRun):
    """A run that another run started, and that reports its results through a mailbox."""

    def __init__(
        self,
        settings: Settings,
        host: Host,
        sinks: Sequence[Sink],
        recording: Recording | None,
        extensions: Extensions,
        mailbox: Mailbox,
        home: int,
        safe: Safekeeping | None = None,
    ) -> None:
        super().__init__(settings, host, sinks, recording, extensions, safe=safe)
        self._mailbox = mailbox
        self._home = home


class OutlyingRun(MailedRun):
    """A run that reports what it finds, and writes nothing."""

    _island: Outlying | None = None

    def _settle(self, loop: SearchLoop, _resort: LastResort) -> Neighbourhood:
        self._island = Outlying(self._mailbox, loop, self._home)
        return self._island

    def _finished(self, found: Found) -> Outcome:
        assert self._island is not None
        self._island.leave()
        return found.outcome
