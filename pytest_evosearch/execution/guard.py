"""Keeps one call from harming the run: a time limit that reaches into the application.

The limit is a POSIX interval timer.  Its handler raises `TimeLimitExceeded` in the main
thread, whatever the application is doing: sleeping, computing, reading a socket.  The timer
repeats, so an application that swallows the exception in a loop is asked again.  Elsewhere
(Windows, a search outside the main thread) there is no limit, and `available` says so.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType

from pytest_evosearch.errors import CutOff

REPEAT_SECONDS = 0.25
"""Between two reminders to an application that swallowed the first."""

LIVE_SECONDS = 0.5
"""For the first piece of a live stream: it comes when something happens, perhaps never."""


WASTED_SHARE = 0.5
"""Of a budget of seconds, for calls that do not return."""

WASTED_AT_ONCE = 0.1
"""Of what is left of it, for one of them."""

SHORTEST_SECONDS = 1.0
"""A call may always take this long: the first one of a page may import half a library."""


class TimeLimitExceeded(CutOff):
    """A call ran into its time limit; a BaseException, so that handlers let it pass."""


class TimeLimit:
    """Cuts off what runs longer than a number of seconds.

    `install` once, then wrap each call in `limited`; `uninstall` gives the signal back.
    """

    def __init__(self, seconds: float, budget: float | None = None) -> None:
        self.seconds = seconds
        self._most_waste = inf if budget is None else WASTED_SHARE * budget
        self._wasted = 0.0
        self._previous: object = None
        self._installed = False

    @property
    def available(self) -> bool:
        """Say whether this platform and thread can be interrupted."""
        return hasattr(signal, "setitimer") and (
            threading.current_thread() is threading.main_thread()
        )

    @property
    def present(self) -> float:
        """Return how long a call may take now: less, the more others have wasted.

        Where six pages hang, a limit of five seconds would be all of a short search.
        """
        left = WASTED_AT_ONCE * (self._most_waste - self._wasted)
        return min(self.seconds, max(SHORTEST_SECONDS, left))

    def install(self) -> None:
        """Take over the alarm signal."""
        if self.available:
            self._previous = signal.signal(signal.SIGALRM, self._expire)
            self._installed = True

    def uninstall(self) -> None:
        """Give the alarm signal back to whoever had it."""
        if self._installed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._previous)  # type: ignore[arg-type]
            self._installed = False

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Raise `TimeLimitExceeded` inside the block when it takes too long."""
        if not self._installed:
            yield
            return
        seconds = self.present
        signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)
        try:
            yield
        except TimeLimitExceeded:
            self._wasted += seconds
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def shorten(self) -> None:
        """Leave little of the time inside a block of `limited`."""
        if self._installed:
            seconds = min(LIVE_SECONDS, self.present)
            signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)

    @staticmethod
    def _expire(_signal: int, _frame: FrameType | None) -> None:
        raise TimeLimitExceeded
