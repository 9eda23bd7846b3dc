"""The process beside a search: it finishes tests on order of the search (`engine.beside`).

It prepares like any run, with its own application, and never searches:

    an order comes     its tests are executed, which makes an archive of them
    harvest            the minimised tests are reported at once
    write, verify      beside the place of the tests; what held in all circumstances is reported
    the search leaves  this process ends, whatever it is doing, and leaves no files
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from threading import Thread

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.beside.letters import HOME
from pytest_evosearch.engine.beside.letters import Order
from pytest_evosearch.engine.beside.letters import Report
from pytest_evosearch.engine.beside.letters import unpacked
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.minimizing import background
from pytest_evosearch.engine.preparing.finisher_hindrance import hindrance
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.engine.search_run import MailedRun
from pytest_evosearch.engine.writing import corpus_of
from pytest_evosearch.engine.writing import executed_lines
from pytest_evosearch.engine.writing import runs_of_tests
from pytest_evosearch.engine.writing import suite_measurement
from pytest_evosearch.engine.writing import write_tests
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.problem.http.doors.callers import renamed_users
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.write.brief import Executed
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.measure import Measurement
from pytest_evosearch.write.verification.module_choice import modules_of
from pytest_evosearch.write.verification.proven_tests import fingerprints
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

LOOK_SECONDS = 0.05
"""Seconds between two checks for an order, or for the end."""

NICENESS = 5
"""Niceness of this process, so that the search comes first on few processors."""

PLENTY_SECONDS = 1e6
"""Seconds for each run: practically without limit, and a limited run is ended at the last one."""


class Dismissed(Exception):
    """Raised when the search no longer needs this process."""


class FinishingRun(MailedRun):
    """A run that finishes what another run finds."""

    def _explored(self, _loop: SearchLoop, _ready: Prepared, _journal: Journal) -> ExitReason:
        """Do not search."""
        return ExitReason.INTERRUPTED

    def _finished(self, found: Found) -> Outcome:
        if hasattr(os, "nice"):
            os.nice(NICENESS)
        _Finisher(found, self._mailbox, self._home).work()
        return found.outcome


class _Finisher:
    """Carries out one order after another."""

    def __init__(self, found: Found, mailbox: Mailbox, home: int) -> None:
        self._found = found
        self._mailbox = mailbox
        self._home = home
        self._reports = 0
        self._proven: set[str] = set()

    def work(self) -> None:
        """Carry out orders until the search ends."""
        number = 0
        try:
            while True:
                order: Order | None = self._mailbox.message(HOME, number)
                if order is None:
                    self._stay()
                    time.sleep(LOOK_SECONDS)
                    continue
                number += 1
                self._finish(order)
                self._report(Report(is_done=True))
        except Dismissed:
            return

    def _finish(self, order: Order) -> None:
        loop = self._found.loop
        names = loop.problem.welcome(order.callers)
        loop.take_in(self._arriving(order, names))
        limit = int(self._found.context.settings.tunable("minimize.evaluations"))
        harvest = Harvest(
            self._found.ready.executor,
            loop.archive,
            Allowance(self._time_left, limit),
            replace(background(self._found), mutants=None),
            lambda _done, _all: self._report_finished(names),
        )
        specimens = harvest.specimens()
        self._report_finished(names)
        if specimens and not hindrance(self._found.context.settings, self._found.ready):
            self._verify(specimens, harvest)

    def _report_finished(self, names: dict[str, str]) -> None:
        """Report the result of minimising, unless users have other names in the two processes."""
        finished = self._found.context.early.finished
        news = finished.news()
        finished.adopt(news)
        if news and all(theirs == ours for theirs, ours in names.items()):
            self._report(Report(finished=news))

    def _arriving(self, order: Order, names: dict[str, str]) -> Iterator[Individual]:
        for individual in unpacked(order.tests):
            self._stay()
            yield renamed_users(individual, names)

    def _verify(self, specimens: Sequence[Specimen], harvest: Harvest) -> None:
        """Write and verify the tests beside their place, without moving them there."""
        context, ready = self._found.context, self._found.ready
        runs = runs_of_tests(context.settings, ready)
        with tidied(runs, context.safe) as process, self._ended_with_this(process):
            measurement = suite_measurement(ready, process, self._time_left)
            verifier = _Verifier(self, process)
            given = context.settings, ready, specimens, corpus_of(harvest, ready), verifier
            write_tests(*given, _executed(ready, measurement), context.safe, keeps=False)

    @contextmanager
    def _ended_with_this(self, process: PytestProcess) -> Iterator[None]:
        """End the runs of the block as soon as the search ends; this process waits for them."""
        over = Event()

        def watch() -> None:
            while not over.wait(LOOK_SECONDS):
                if self._is_dismissed():
                    process.end_all()

        thread = Thread(target=watch, name="evosearch-finisher", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _time_left(self) -> float:
        """Return plenty of seconds; raise `Dismissed` when the search has ended."""
        self._stay()
        return PLENTY_SECONDS

    def _stay(self) -> None:
        if self._is_dismissed():
            raise Dismissed

    def _is_dismissed(self) -> bool:
        return self._mailbox.is_called_to_stop or os.getppid() != self._home

    def _report(self, report: Report) -> None:
        self._mailbox.post(self._reports, report)
        self._reports += 1

    def interpreters(self, process: PytestProcess) -> FreshInterpreters:
        """Return what verifies one suite; one processor belongs to the search.

        At the end all tests run once more, as they are, and with the project's own suite.  These
        runs may use what the search uses, too.
        """
        return FreshInterpreters(
            process,
            [one for one in ALL if one is not PLAIN and one.scope is not Scope.PROJECT],
            width=max(1, processors() - 1),
            limits=Limits(self._time_left),
            extent=Extent(self._proven),
        )

    def note_proven(self, folder: Path) -> None:
        """Report that all tests of `folder` hold in the circumstances of their run."""
        self._stay()  # a run that was ended proves nothing
        news = frozenset(fingerprints(folder, modules_of(folder)).values()) - self._proven
        self._proven |= news
        self._report(Report(proven=news))


class _Verifier:
    """Verifies one suite, and reports when all of it holds."""

    def __init__(self, finisher: _Finisher, process: PytestProcess) -> None:
        self._finisher = finisher
        self._interpreters = finisher.interpreters(process)

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run the tests of `folder` in all remaining circumstances."""
        verdict = self._interpreters(folder, tests)
        if not (verdict.failures or verdict.broken or verdict.crowded or verdict.extent):
            self._finisher.note_proven(folder)
        return verdict


def _executed(ready: Prepared, measurement: Measurement | None) -> Executed:
    """Return a function that returns the lines which the tests of a folder execute."""

    def executed(folder: Path) -> AbstractSet[TargetId]:
        return executed_lines(ready, measurement, folder)

    return executed
