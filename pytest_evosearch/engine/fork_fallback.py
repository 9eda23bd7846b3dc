"""The last resort for state that nothing restores: each test in a forked process.

    start       a copy of the process is forked before the first call
                (`execution.forked.fork_server`)
    begin       pages are compared that varied although only pages were requested
    consider    pages that changed are compared, and the longest tests of the archive, and
                some that name what they have not created
    look        some tests are executed here and in a child of the copy; if the results here
                differ again and again, while all children agree, a test depends on state
                that was not restored
    move        from then on everything is executed in children

In all other runs the copy does nothing: it costs one fork.  Pages alone do not suffice, because an
application may show its state only in the response to a POST.  The clock and random numbers do not
mislead: they make the children differ from one another, or this process from itself.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from itertools import chain
from math import inf

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.preparing.fork_findings import ASKED
from pytest_evosearch.engine.preparing.fork_findings import fork_findings
from pytest_evosearch.engine.preparing.fork_findings import hindrance_to_forks
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.selfcheck import Answer
from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import answers_of
from pytest_evosearch.engine.selfcheck import changed_answers
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer
from pytest_evosearch.execution.forked.separation import SeparatePerformer
from pytest_evosearch.execution.forked.separation import WithoutHanging
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.checked import Settings

ROUNDS = 6
"""Comparisons that must agree: a random result counts as state once in two thousand times."""

EXPERIENCED = 10
"""Tests of the archive, of each kind, that are compared after the search."""

GLANCED_AT = 2
"""Tests of the archive, of each kind, that are compared at one moment of the search.

Each takes about 30 ms, because a child executes everything for the first time.
"""

_SOUND = range(100, 500)
"""Statuses of children that count: a fork may have lost a connection, and then fails."""


@dataclass
class LastResort:
    """Decides whether to execute tests in forked processes, and arranges it."""

    ready: Prepared
    check: SelfCheck
    notify: Callable[[str], None]
    hindrance: str = ""
    """Why tests cannot be moved to forks; empty when they can."""
    reason: str = ""
    """Why tests were moved to forks; empty while they are not."""
    seconds: float = 0.0
    """Seconds that the comparisons took so far."""
    patience: float = inf
    """Seconds after which one comparison ends, even if it is incomplete."""

    @property
    def is_open(self) -> bool:
        """Say whether tests can still be moved to forks."""
        return not self.hindrance and not self.reason

    def begin(self) -> None:
        """Move to forks when a page varied although only pages were requested."""
        if self.is_open:
            pages = self.check.remembered()
            self._look_at([one for one, stable in pages if len(stable) < len(one)])

    def consider(self, experienced: Iterable[Individual] = ()) -> None:
        """Move to forks when a page or one of the tests `experienced` shows state that stayed."""
        if self.is_open:
            self._look_at(chain(self._changed_pages(), experienced))

    def _changed_pages(self) -> Iterator[Individual]:
        for individual, before in self.check.remembered():
            if changed_answers(before, _answers(self.ready.executor.performer, individual)):
                yield individual

    def _look_at(self, individuals: Iterable[Individual]) -> None:
        started = monotonic()
        for individual in individuals:
            difference = self._difference(individual)
            if difference is not None:
                self.move(difference)
                self.check.remember()
                break
            if monotonic() - started > self.patience:
                break
        self.seconds += monotonic() - started

    def move(self, reason: str) -> None:
        """Execute in forked processes from now on, and report it in one line."""
        self.reason = reason
        self.ready.state()  # releases locks; files are as the copy knows them
        self.ready.executor.move_to(self.ready.forks)
        self.notify(f"state    {self.findings['state']}")

    @property
    def findings(self) -> dict[str, str]:
        """Return corrected rows of the discovery block: ``fork (GET / answers another text)``."""
        return fork_findings(self.reason, self.ready) if self.reason else {}

    def leftover(self, individual: Individual) -> str:
        """Return how pages differ after a test whose state was restored; empty where none does.

        The test and the pages run in one process, which is forked for them.  What is restored there
        is noted, because the written tests must restore it, too.
        """
        for pages, before in self.check.remembered():
            said = self.ready.forks.perform(Order(individual, Look.AGAIN, then=pages))
            self.ready.state.keeper.memory.note_changed(said.remains.changed)
            after = answers_of(said.remains.afterwards)
            changed = changed_answers(before, after) if after else []
            if changed:
                return changed[0]
        return ""

    def distrust(self) -> None:
        """Stop using forks where a child responds differently before anything has happened."""
        for individual, before in self.check.remembered():
            changed = changed_answers(before, _answers(self.ready.forks, individual))
            if changed:
                self.hindrance = f"{changed[0]} in one"
                return

    def _difference(self, individual: Individual) -> str | None:
        """Return how this process differs from an untouched one; None when it does not."""
        suspects: dict[int, Answer] = {}
        first: Sequence[Answer] = ()
        for attempt in range(ROUNDS):
            untouched = _answers(self.ready.forks, individual)
            here = _answers(self.ready.executor.performer, individual)
            first = first or here
            found = {
                index: answer
                for index, answer in enumerate(untouched)
                if answer[1] in _SOUND and _stayed(answer, _at(here, index), _at(first, index))
            }
            if attempt:
                found = {index: one for index, one in found.items() if suspects.get(index) == one}
            if not found:
                return None
            suspects = found
        return changed_answers(suspects, here)[0]


def _at(answers: Sequence[Answer], index: int) -> Answer:
    return answers[index] if index < len(answers) else ("", 0, b"")


def _stayed(untouched: Answer, here: Answer, first: Answer) -> bool:
    """Say whether state explains that a response here, the first one and a later one, differs.

    A text may differ each time (a counter in a library, random numbers of its own).  Assertions
    leave it out, and it does not justify running twenty times slower.
    """
    return here[1] != untouched[1] or (here != untouched and here == first)


@contextmanager
def last_resort(
    settings: Settings,
    ready: Prepared,
    check: SelfCheck,
    notify: Callable[[str], None],
    died: str = "",
    hung: Sequence[str] = (),
) -> Iterator[LastResort]:
    """Keep a copy of the process as it is now, and let `check` record its responses.

    `died` says why everything must run in forked processes from the beginning.  Calls of the
    endpoints in `hung` always do.
    """
    wish = settings.tunable("state.fork")
    hindrance = "state.fork=never" if wish == "never" else hindrance_to_forks(ready)
    resort = LastResort(ready, check, notify, hindrance)
    reason = ASKED if wish == "always" else died
    try:
        if not hindrance:
            ready.forks.start()
        if wish == "always" and hindrance:
            notify(f"state.fork=always has no effect: {hindrance}")
        elif reason and not hindrance:
            resort.reason = reason
            ready.executor.move_to(ready.forks)
        elif hung:
            ready.executor.move_to(_beside(ready, hung, hindrance))
        check.remember()
        if resort.is_open:
            resort.distrust()
            resort.begin()
        yield resort
    finally:
        ready.forks.close()


def _beside(ready: Prepared, hung: Sequence[str], hindrance: str) -> Performer:
    """Return what executes a test that may hang, with the least harm."""
    here = ready.executor.performer
    if hindrance:
        return WithoutHanging(here, hung)
    return SeparatePerformer(here, ready.forks, hung)


def experienced_tests(archive: Archive[Individual], number: int) -> list[Individual]:
    """Return the `number` longest tests of the archive, and as many with a single call and a name.

    A long test has changed much state.  A test whose only call names a thing (``GET /files/a``) has
    not created it.  If it finds the thing, an earlier test may have left it.  Tests of a fault are
    left out, because they may never end.
    """
    found: dict[int, Individual] = {}
    for target in sorted(archive.covered):
        if kind_of(target) != FAULT:
            individual = archive.covered[target].individual
            found.setdefault(id(individual), individual)
    longest = sorted(found.values(), key=len, reverse=True)[:number]
    alone = [one for one in found.values() if _is_alone_with_a_name(one) and one not in longest]
    return [*longest, *alone[:number]]


def _is_alone_with_a_name(individual: Individual) -> bool:
    return len(individual.calls) == 1 and "{" in individual.calls[0].endpoint


def _answers(performer: Performer, individual: Individual) -> Sequence[Answer]:
    return answers_of(performer.perform(Order(individual, Look.AGAIN)).exchanges)
