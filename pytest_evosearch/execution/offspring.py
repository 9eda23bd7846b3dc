"""Processes that calls start: counted, reported once, and ended with their test."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.ceiling import EXCESSES
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.child_processes import GRACE_SECONDS
from pytest_evosearch.sut.sandbox.child_processes import ForkedChildren
from pytest_evosearch.sut.sandbox.child_processes import StartedProcesses
from pytest_evosearch.sut.sandbox.warden import TOO_MANY

COMES_BACK = "forks a process that returns from the handler"
GOES_ON = "leaves a process running"

SHOWN_ENDPOINTS = 5

SHORT_GRACE_SECONDS = 0.05
"""Seconds for processes of an endpoint that has left a process without end before."""


LOOKS_AT_FIRST = 8
"""Calls of an endpoint after each of which it is looked what runs."""

CALLS_BETWEEN_LOOKS = 8
"""Later calls from one look to the next, where an endpoint left nothing.  Looking reads `/proc`."""


class Offspring:
    """The processes of the present test, and how many of all tests had to be ended."""

    def __init__(self, children: ForkedChildren, ceiling: Ceiling) -> None:
        self._children = children
        self.ceiling = ceiling
        children.most = ceiling.most
        self._started = StartedProcesses()
        self._calling = 0
        """Number of the process that executes the present call."""
        self._seconds = 0.0
        """Seconds after which that call gets an alarm."""
        self._culprit = ""
        """The call of this test that first left a running process."""
        self._places: dict[str, str] = {}
        self._is_full = True
        self._calls: dict[str, int] = {}
        """Endpoint -> how often it was called."""
        self._lasting: set[str] = set()
        """Endpoints whose calls left processes that outlasted the grace period."""
        self.ended: dict[str, int] = {}
        """Endpoint -> how many processes of its calls were ended."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Enforce the limits inside the block; processes that exist before it stay."""
        with self.ceiling.enforced():
            self._started.begin()
            self._started.spare(self.ceiling.process)
            yield

    def spare(self, server: int) -> None:
        """Never end this process, which is our own."""
        self._started.spare(server)
        self.ceiling.spare(server)

    def begin_test(self, is_full: bool = True) -> None:
        """Forget the test before, and end what it has started since it ended.

        In a test that `is_full` every call is looked at.
        """
        self._is_full = is_full
        if self._culprit:
            self.end_orphans(self._culprit)
        self._children.begin()
        self._culprit = ""

    def in_call(self, seconds: float = 0.0) -> Offspring:
        """End a child of the application that reaches the end of the block.

        An alarm comes after `seconds`; 0 sets none.
        """
        self._seconds = seconds
        return self

    def __enter__(self) -> None:
        self._calling = os.getpid()
        self.ceiling.begin(self._seconds)

    def __exit__(self, *_exception: object) -> None:
        if os.getpid() != self._calling:
            self._children.end_here()
        self.ceiling.end()

    @property
    def excess(self) -> str:
        """Return which limit the last call exceeds, empty for none."""
        return self.ceiling.excess or (EXCESSES[TOO_MANY] if self._children.has_refused else "")

    def look(self, endpoint: str) -> None:
        """Note that a call of `endpoint` was the first to leave something, if it was.

        While the search only scores tests, endpoints whose first calls left nothing are checked
        only sometimes: what one of them leaves later is found and ended after a few tests.
        """
        if not self._culprit and self._is_looked_at(endpoint) and self._started.are_any():
            self._culprit = endpoint
            place = next(iter(self._children.forked_at), "")
            if place:
                self._places[endpoint] = os.path.relpath(place)

    def _is_looked_at(self, endpoint: str) -> bool:
        calls = self._calls[endpoint] = self._calls.get(endpoint, 0) + 1
        is_early = calls <= LOOKS_AT_FIRST or endpoint in self.ended
        return self._is_full or is_early or calls % CALLS_BETWEEN_LOOKS == 0

    def disturbances(self) -> Iterator[str]:
        """Yield what this test's calls did to the process, which tests share."""
        if self._culprit and self._goes_on():
            yield GOES_ON
        if self._children.came_back:
            yield COMES_BACK

    def _goes_on(self) -> bool:
        """Say whether the noted call left lasting processes; give the full grace period once."""
        is_known = self._culprit in self._lasting
        left = bool(self._started.left(SHORT_GRACE_SECONDS if is_known else GRACE_SECONDS))
        if left:
            self._lasting.add(self._culprit)
        return left

    def end_test(self) -> Mapping[str, int]:
        """End the remaining processes of this test; return their number for each endpoint."""
        if not self._culprit:
            self._started.end_pools()
            return {}
        count = self._started.end()
        ended = {self._culprit: count} if count else {}
        self.adopt(ended)
        return ended

    def end_orphans(self, endpoint: str) -> None:
        """End what a vanished fork of ours has left, in a test that ended with `endpoint`."""
        if self._started.are_any():
            count = self._started.end()
            self.adopt({endpoint: count} if count else {})

    def adopt(self, ended: Mapping[str, int]) -> None:
        """Add processes that were ended, possibly by another process."""
        for endpoint, number in ended.items():
            self.ended[endpoint] = self.ended.get(endpoint, 0) + number

    def notices(self) -> tuple[str, ...]:
        """Return a notice for each call that leaves processes, once."""
        if not self.ended:
            return ()
        shown = [
            f"{endpoint} ({number}{self._forked_at(endpoint)})"
            for endpoint, number in list(self.ended.items())[:SHOWN_ENDPOINTS]
        ]
        total = sum(self.ended.values())
        them = "it was" if total == 1 else "they were"
        processes = "a process" if total == 1 else "processes"
        return (f"calls leave {processes} running; {them} ended: {', '.join(shown)}",)

    def _forked_at(self, endpoint: str) -> str:
        place = self._places.get(endpoint)
        return f", forked at {place}" if place else ""
