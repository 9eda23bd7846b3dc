"""Islands: searches of one application in several processes, which tell one another what they find.

    every island          at times: tell, then execute what the others told (`search.migration`)
    home, number 0        starts the others, gathers what they found, minimises and writes
    the others            search, say farewell, end (`engine.search_run`)

With a budget of seconds an island takes what is there, every few seconds.  With one of evaluations
all keep step: after each twentieth of it an island waits for the same round of all others, so that
who gets what depends on seeds and evaluations alone, and the suite stays the same to the byte.

Invariant: whatever ends an island, what it has told is not lost.
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
"""Between two rounds of a budget of seconds."""

GATHER_SECONDS = 20.0
"""How long home waits for the end of the others: one test of a slow application takes seconds."""

FIRST_WORD_SECONDS = 300.0
"""After which an island that has told nothing is ended: its set-up hangs, and all wait for it."""

_POLL_SECONDS = 0.005
"""Between two looks for what is waited for."""

_LOOK_SECONDS = 0.05
"""Between two checks whether the search is to end: each costs two system calls."""


class Companions(Protocol):
    """The processes of the other islands, as home sees them."""

    def start(self) -> Mailbox:
        """Start them, and return where the home process reads their messages."""
        ...

    def died(self) -> Mapping[int, str]:
        """Return those whose process has ended since this was last asked, and why."""
        ...

    def end(self, island: int) -> None:
        """End the process of one of them."""
        ...

    def start_finisher(self) -> Mailbox:
        """Start a process that finishes tests, where no other search takes place."""
        ...


class Neighbourhood(Protocol):
    """What a search has around it."""

    def gather(self) -> Iterable[Individual]:
        """Return what other islands have found and this one has not, once the search is over."""
        ...


class Seclusion:
    """A search without others beside it."""

    def gather(self) -> Iterable[Individual]:
        """Return nothing."""
        return ()


class Island:
    """One search among others."""

    def __init__(self, mailbox: Mailbox, loop: SearchLoop) -> None:
        self.mailbox = mailbox
        self._loop = loop
        self._migration: Migration[Individual] = Migration(loop.archive)
        self._keeps_step = loop.meter.budget.evaluations is not None
        self._rounds = 0
        """In which this island has told something."""
        self._heard = dict.fromkeys(mailbox.others, 0)
        """Messages of each other island that were taken in, the last one included."""
        self._evaluations = dict.fromkeys(mailbox.others, 0)
        self._due = monotonic() + ROUND_SECONDS
        loop.occasions.newcomers = self.newcomers

    def newcomers(self) -> Iterator[Individual]:
        """Yield tests of other islands that are worth executing, when a round is due."""
        while self._is_due():
            self.mailbox.tell(self._rounds, self._message())
            self._rounds += 1
            if self._keeps_step:
                self._wait(lambda island: self.mailbox.has_told(island, self._rounds - 1))
            yield from self._arrived(most=1 if self._keeps_step else inf)
            self._due = monotonic() + ROUND_SECONDS

    def leave(self) -> None:
        """Send the last tests and all counts: this search is over."""
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
        """Yield what at most so many messages of each island tell."""
        for island in self.mailbox.others:
            heard = 0
            while heard < most and (message := self._next_of(island)) is not None:
                heard += 1
                names = self._loop.problem.welcome(message.callers)
                for individual in self._migration.immigrants(message.emigrants):
                    yield renamed_users(individual, names)

    def _next_of(self, island: int) -> Message | None:
        """Return the next message of `island`; its farewell is the last one."""
        message: Message | None = self.mailbox.message(island, self._heard[island])
        if message is None:
            farewell = self.mailbox.farewell(island)
            if farewell is None or farewell.rounds != self._heard[island]:
                return None
            message = farewell.last
            self._loop.statistics.add(farewell.calls, farewell.statuses, farewell.refusals)
        self._heard[island] += 1
        self._evaluations[island] = max(message.evaluations, self._evaluations[island])
        self._loop.statistics.elsewhere = sum(self._evaluations.values())
        return message

    def _wait(self, has_come: Callable[[int], bool], seconds: float = inf) -> None:
        """Wait until all others have; ends early when the search is told to stop."""
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
    """An island that another process has started, and may call to an end."""

    def __init__(self, mailbox: Mailbox, loop: SearchLoop, home: int) -> None:
        super().__init__(mailbox, loop)
        self._home = home
        self._looked = 0.0
        self._host_wants = loop.ending.stop_requested
        loop.ending.stop_requested = self._stop_requested

    def gather(self) -> Iterable[Individual]:
        """Return nothing: what others have found is for home to know."""
        return ()

    def _stop_requested(self) -> str | None:
        """Return why to stop: the host says so, home says so, or home is gone."""
        now = monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            if self.mailbox.is_called_to_stop or os.getppid() != self._home:
                return "the other islands have ended"
        return self._host_wants()


class Home(Island):
    """The island that started the others, and writes what all have found."""

    def __init__(
        self, companions: Companions, loop: SearchLoop, notify: Callable[[str], None]
    ) -> None:
        super().__init__(companions.start(), loop)
        self._companions = companions
        self._notify = notify
        self._started = monotonic()

    def newcomers(self) -> Iterator[Individual]:
        """Yield tests of other islands that are worth executing, when a round is due."""
        if self._is_due():
            self._look_after()
        yield from super().newcomers()

    def gather(self) -> Iterator[Individual]:
        """Wait for the end of the others, and yield what they have found that is not here."""
        self.leave()
        if self._keeps_step:
            self._wait(self.mailbox.has_left)
        self.mailbox.call_to_stop()
        self._wait(self.mailbox.has_left, GATHER_SECONDS)
        yield from self._arrived()

    def _look_after(self) -> None:
        """Leave out islands that died or never begin, so that the others do not wait for them."""
        for island, why in self._companions.died().items():
            self._take_leave(island, f"ended early ({why})")
        if monotonic() - self._started > FIRST_WORD_SECONDS:
            for island in self.mailbox.others:
                if not self.mailbox.has_told(island, 0):
                    self._companions.end(island)
                    self._take_leave(island, "has not begun, and was ended")

    def _take_leave(self, island: int, why: str) -> None:
        if not self.mailbox.has_left(island):
            self.mailbox.bury(island)
            self._notify(f"island {island} {why}; the search goes on without it")
