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
from types import FrameType

from pytest_evosearch.sut.clients.client import CutOff

REPEAT_SECONDS = 0.25
"""Between two reminders to an application that swallowed the first."""

LIVE_SECONDS = 0.5
"""For the first piece of a live stream: it comes when something happens, perhaps never."""


MISSING_SECONDS = 0.2
"""For a call that asks for a service of which it is known that it is not there."""


class TimeLimitExceeded(CutOff):
    """A call ran into its time limit; a BaseException, so that handlers let it pass."""


class TimeLimit:
    """Cuts off what runs longer than a number of seconds.

    `install` once, then wrap each call in `limited`; `uninstall` gives the signal back.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._previous: object = None
        self._installed = False

    @property
    def available(self) -> bool:
        """Say whether this platform and thread can be interrupted."""
        return hasattr(signal, "setitimer") and (
            threading.current_thread() is threading.main_thread()
        )

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
        signal.setitimer(signal.ITIMER_REAL, self.seconds, REPEAT_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def shorten(self, longest: float = LIVE_SECONDS) -> None:
        """Leave at most `longest` seconds of the time inside a block of `limited`."""
        if self._installed and signal.getitimer(signal.ITIMER_REAL)[0] > longest:
            seconds = min(longest, self.seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)

    @staticmethod
    def _expire(_signal: int, _frame: FrameType | None) -> None:
        raise TimeLimitExceeded
