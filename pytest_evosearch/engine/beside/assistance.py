"""The search's side: when a finisher starts, what it gets, and what it sends back.

It starts with the search, because it has to load the application.  It gets its first order when
most easy targets are covered, and the next order whenever it is ready.  An order contains the tests
of the archive that it does not know, short ones first.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from typing import Protocol

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.engine.beside.early_findings import EarlyFindings
from pytest_evosearch.engine.beside.letters import FINISHER
from pytest_evosearch.engine.beside.letters import Order
from pytest_evosearch.engine.beside.letters import Report
from pytest_evosearch.engine.beside.letters import packed
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.settings.phase_shares import BESIDE_SHARE

LOOK_SECONDS = 0.2
"""Seconds between two checks for messages."""


class Finishers(Protocol):
    """Starts the process of a finisher, as the session can."""

    def start_finisher(self) -> Mailbox:
        """Start the process, and return the mailbox for messages of both."""
        ...


class Assistance:
    """A search with a process beside it that finishes tests."""

    def __init__(
        self,
        finishers: Finishers,
        loop: SearchLoop,
        early: EarlyFindings,
        hindrance: Callable[[], str],
    ) -> None:
        self._finishers = finishers
        self._loop = loop
        self._early = early
        self._hindrance = hindrance
        """Returns why the two must not run at once; empty when they may."""
        self._mailbox: Mailbox | None = None
        self._due = 0.0
        self._has_left = False
        self._ordered = 0
        """Number of orders that were sent."""
        self._received = 0
        """Number of reports that were read."""
        self._done = 0
        """Number of orders that are done."""
        self._sent: dict[int, Individual] = {}
        """Tests that the finisher knows, by their `id`."""
        self._keep = loop.occasions.keep
        loop.occasions.keep = self.look_now_and_then  # even during the visits
        early.read, early.leave = self.read, self.leave

    def look_now_and_then(self) -> None:
        """Check for messages of the finisher when it is time, after the previous checks."""
        self._keep()
        now = monotonic()
        if now >= self._due and not self._has_left:
            self._due = now + LOOK_SECONDS
            self._look()

    def gather(self) -> Iterable[Individual]:
        """Let the finisher go on during targeted checks, unless the user waits."""
        if self._loop.ending.interruption is not None:
            self.leave()
        return ()

    def read(self) -> None:
        """Read and use the finisher's reports."""
        if self._mailbox is None:
            return
        while (report := self._next_report()) is not None:
            self._received += 1
            self._done += report.is_done
            self._early.proven |= report.proven
            self._early.finished.adopt(report.finished)

    def leave(self) -> None:
        """Ask the finisher to end, and do not wait for it."""
        if self._mailbox is not None and not self._has_left:
            self._mailbox.call_to_stop()
        self._has_left = True
        self._early.are_coming = False

    def _look(self) -> None:
        if self._hindrance():
            self.leave()
            return
        if self._mailbox is None:
            self._mailbox = self._finishers.start_finisher()
            self._early.are_coming = True
        self.read()
        if self._done == self._ordered and self._loop.share >= BESIDE_SHARE:
            self._give_order()

    def _give_order(self) -> None:
        assert self._mailbox is not None
        covered = self._loop.archive.covered.values()
        news = {id(one.individual): one.individual for one in covered}
        news = {key: one for key, one in news.items() if key not in self._sent}
        if news:
            self._sent.update(news)
            tests = sorted(news.values(), key=len)
            order = Order(packed(tests), dict(self._loop.problem.callers))
            self._mailbox.post(self._ordered, order)
            self._ordered += 1

    def _next_report(self) -> Report | None:
        assert self._mailbox is not None
        report: Report | None = self._mailbox.message(FINISHER, self._received)
        return report
