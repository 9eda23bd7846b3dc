"""Islands: searches of one application in several processes, which exchange what they find.

    every island          now and then: send, then execute what the others sent (`search.migration`)
    home, number 0        starts the others, collects what they found, minimises and writes
    the others            search, send a last message, end (`engine.search_run`)

With a budget of seconds an island reads, every few seconds, the messages that have arrived.  With a
budget of evaluations all islands keep step.  After each twentieth of the budget an island waits for
the messages of this round from all others.  So exchanged tests depend only on seeds and
evaluations, and two runs write equal suites.

Messages that an island has sent are not lost, however it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from math import inf
from typing import Protocol

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.engine.beside.mailbox import Farewell
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.engine.beside.mailbox import Message
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.problem.http.doors.callers import renamed_users
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.migration import Migration

ROUNDS = 20
"""Rounds of a budget of evaluations."""

ROUND_SECONDS = 3.0
"""Seconds between two rounds of a budget of seconds."""

GATHER_SECONDS = 20.0
"""Seconds that home waits for the end of the others: a test may take several seconds."""

FIRST_WORD_SECONDS = 300.0
"""Seconds after which an island without a message is ended: its set-up hangs, and all wait."""

_POLL_SECONDS = 0.005
"""Seconds between two checks for an expected message."""

_LOOK_SECONDS = 0.05
"""Seconds between two checks whether the search must end: each costs two system calls."""


class Companions(Protocol):
    """The processes of the other islands, as home sees them."""

    def start(self) -> Mailbox:
        """Start the islands, and return where home reads their messages."""
        ...

    def died(self) -> Mapping[int, str]:
        """Return the islands that ended since the last call, each with the reason."""
        ...

    def end(self, island: int) -> None:
        """End the process of one island."""
        ...

    def start_finisher(self) -> Mailbox:
        """Start a process that finishes tests, where there are no other islands."""
        ...


class Neighbourhood(Protocol):
    """The processes beside a search."""

    def gather(self) -> Iterable[Individual]:
        """Return, at the end of the search, tests of the others that this archive lacks."""
        ...


class Seclusion:
    """A search without other processes."""

    def gather(self) -> Iterable[Individual]:
        """Return no tests."""
        return ()


class Island:
    """One of several searches."""

    def __init__(self, mailbox: Mailbox, loop: SearchLoop) -> None:
        self.mailbox = mailbox
        self._loop = loop
        self._migration: Migration[Individual] = Migration(loop.archive)
        self._keeps_step = loop.meter.budget.evaluations is not None
        self._rounds = 0
        """Number of rounds in which this island has sent a message."""
        self._received = dict.fromkeys(mailbox.others, 0)
        """Number of messages that were read from each other island, with the last one."""
        self._evaluations = dict.fromkeys(mailbox.others, 0)
        self._due = monotonic() + ROUND_SECONDS
        loop.occasions.newcomers = self.newcomers

    def newcomers(self) -> Iterator[Individual]:
        """Yield tests that are worth executing, when it is time for a round."""
        while self._is_due():
            self.mailbox.post(self._rounds, self._message())
            self._rounds += 1
            if self._keeps_step:
                self._wait(lambda island: self.mailbox.has_posted(island, self._rounds - 1))
            yield from self._arrived(most=1 if self._keeps_step else inf)
            self._due = monotonic() + ROUND_SECONDS

    def leave(self) -> None:
        """Send the remaining tests and the counts: this search has ended."""
        counts = self._loop.statistics
        self.mailbox.say_farewell(
            Farewell(self._rounds, self._message(), counts.calls, counts.statuses, counts.refusals)
        )

    def _is_due(self) -> bool:
        if not self._keeps_step:
            return monotonic() >= self._due
        return self._rounds + 1 < ROUNDS and self._loop.share >= (self._rounds + 1) / ROUNDS

    def _message(self) -> Message:
        callers = dict(self._loop.problem.callers)
        return Message(self._migration.emigrants(), self._loop.meter.evaluations, callers)

    def _arrived(self, most: float = inf) -> Iterator[Individual]:
        """Yield the tests in at most `most` messages of each island."""
        for island in self.mailbox.others:
            received = 0
            while received < most and (message := self._next_of(island)) is not None:
                received += 1
                names = self._loop.problem.welcome(message.callers)
                for individual in self._migration.immigrants(message.emigrants):
                    yield renamed_users(individual, names)

    def _next_of(self, island: int) -> Message | None:
        """Return the next message of `island`; its farewell is the last one."""
        message: Message | None = self.mailbox.message(island, self._received[island])
        if message is None:
            farewell = self.mailbox.farewell(island)
            if farewell is None or farewell.rounds != self._received[island]:
                return None
            message = farewell.last
            self._loop.statistics.add(farewell.calls, farewell.statuses, farewell.refusals)
        self._received[island] += 1
        self._evaluations[island] = max(message.evaluations, self._evaluations[island])
        self._loop.statistics.elsewhere = sum(self._evaluations.values())
        return message

    def _wait(self, has_come: Callable[[int], bool], seconds: float = inf) -> None:
        """Wait until all others have sent; end early when the search must stop."""
        end = monotonic() + seconds
        for island in self.mailbox.others:
            while not has_come(island) and monotonic() < end:
                if seconds == inf and self._loop.ending.stop_requested() is not None:
                    return
                self._look_after()
                time.sleep(_POLL_SECONDS)

    def _look_after(self) -> None:
        """Do what is due while waiting."""


class Outlying(Island):
    """An island that another process has started, and may ask to end."""

    def __init__(self, mailbox: Mailbox, loop: SearchLoop, home: int) -> None:
        super().__init__(mailbox, loop)
        self._home = home
        self._looked = 0.0
        self._host_wants = loop.ending.stop_requested
        loop.ending.stop_requested = self._stop_requested

    def gather(self) -> Iterable[Individual]:
        """Return no tests: only home collects what the others have found."""
        return ()

    def _stop_requested(self) -> str | None:
        """Return why to stop: the host says so, home says so, or home has ended."""
        now = monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            if self.mailbox.is_called_to_stop or os.getppid() != self._home:
                return "the other islands have ended"
        return self._host_wants()


class Home(Island):
    """The island that started the others, and writes what all islands have found."""

    def __init__(
        self, companions: Companions, loop: SearchLoop, notify: Callable[[str], None]
    ) -> None:
        super().__init__(companions.start(), loop)
        self._companions = companions
        self._notify = notify
        self._started = monotonic()

    def newcomers(self) -> Iterator[Individual]:
        """Yield tests that are worth executing, when it is time for a round."""
        if self._is_due():
            self._look_after()
        yield from super().newcomers()

    def gather(self) -> Iterator[Individual]:
        """Wait for the end of the others, and yield their tests that this archive lacks."""
        self.leave()
        if self._keeps_step:
            self._wait(self.mailbox.has_left)
        self.mailbox.call_to_stop()
        self._wait(self.mailbox.has_left, GATHER_SECONDS)
        yield from self._arrived()

    def _look_after(self) -> None:
        """Remove islands that died or never began, so that the others do not wait for them."""
        for island, why in self._companions.died().items():
            self._take_leave(island, f"ended early ({why})")
        if monotonic() - self._started > FIRST_WORD_SECONDS:
            for island in self.mailbox.others:
                if not self.mailbox.has_posted(island, 0):
                    self._companions.end(island)
                    self._take_leave(island, "has not begun, and was ended")

    def _take_leave(self, island: int, why: str) -> None:
        if not self.mailbox.has_left(island):
            self.mailbox.bury(island)
            self._notify(f"island {island} {why}; the search goes on without it")
