"""Limits the time of one call, also inside the application's code.

The limit is a POSIX interval timer. Its handler raises `TimeLimitExceeded` in the main thread,
whatever the application is doing: sleeping, computing, reading a socket. The timer repeats, so an
application that swallows the exception in a loop gets another one. The time of our own code
(reading a schema, copying a database) does not count. Elsewhere (Windows, a search outside the main
thread) there is no limit, and `available` says so.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import Any

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.errors import CutOff

REPEAT_SECONDS = 0.25
"""Seconds between two exceptions to an application that swallowed the first."""

SHORTEST_EXTENSION = 0.01
"""Least seconds of our own code that extend a call; timers are no more exact."""

LIVE_SECONDS = 0.5
"""Seconds for the first piece of a live stream, which may never come."""


WASTED_SHARE = 0.5
"""Share of a budget of seconds that calls without a return may waste."""

WASTED_AT_ONCE = 0.1
"""Share of the remaining part of that budget that one such call may waste."""

SHORTEST_SECONDS = 1.0
"""Seconds that every call may take: the first call of a page may import half a library."""
DESTRUCTOR_SECONDS = 1.0
"""Seconds for destructors of the application's objects between two calls."""

MISSING_SECONDS = 0.2
"""Seconds for a call that needs a service known to be missing."""


_setitimer: Any = getattr(sys.modules.get("_signal", signal), "setitimer", None)
"""The real function; its replacement refuses alarms to the application."""


class TimeLimitExceeded(CutOff):
    """Says that a call ran into its time limit; a BaseException, so that handlers let it pass."""


class TimeLimit:
    """Cuts off what runs longer than a number of seconds.

    `install` once, then wrap each call in `limited`; `uninstall` gives the signal back.
    """

    def __init__(
        self, seconds: float, own_times: Sequence[OwnTime] = (), budget: float | None = None
    ) -> None:
        self.seconds = seconds
        self._own_times = own_times
        self._end = 0.0
        """When the time is up, by a clock that stops while our own code runs."""
        self._most_waste = inf if budget is None else WASTED_SHARE * budget
        self._wasted = 0.0
        self._allowed = 0.0
        """Seconds that the present block may take."""
        self.patient = False
        """Whether the next calls get all of their time, even when other calls have wasted much."""
        self._previous: object = None
        self._installed = False
        self._limiting = False
        self._cleaning = False
        self._unending: list[tuple[str, int]] = []
        self.note_progress: Callable[[], object] = int
        """Called at each alarm during a call, whatever happens next."""

    @property
    def available(self) -> bool:
        """Say whether this platform and thread can be interrupted."""
        return hasattr(signal, "setitimer") and (
            threading.current_thread() is threading.main_thread()
        )

    @property
    def present(self) -> float:
        """Return the seconds that a call may take now; the more time calls have wasted, the fewer.

        With six pages that hang, a limit of five seconds would use up a short search.
        """
        if self.patient:
            return self.seconds
        left = WASTED_AT_ONCE * (self._most_waste - self._wasted)
        return min(self.seconds, max(SHORTEST_SECONDS, left))

    @property
    def is_shortened(self) -> bool:
        """Say whether calls get less time now than their full limit."""
        return self.present < self.seconds

    @property
    def alarm_seconds(self) -> float:
        """Return the seconds until the present call gets an alarm, 0 when it gets none."""
        return self._allowed if self._installed else 0.0

    def install(self) -> None:
        """Take over the alarm signal."""
        if self.available:
            self._previous = signal.signal(signal.SIGALRM, self._expire)
            self._installed = True

    def uninstall(self) -> None:
        """Give the alarm signal back to its former owner."""
        if self._installed:
            _setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._previous)  # type: ignore[arg-type]
            self._installed = False

    @contextmanager
    def between_calls(self) -> Iterator[None]:
        """Cut off destructors that do not end; the rest of the block has no limit.

        Restoring state frees objects of the application, and their ``__del__`` runs at once.
        """
        if not self._installed:
            yield
            return
        self._cleaning = True
        _setitimer(signal.ITIMER_REAL, DESTRUCTOR_SECONDS, REPEAT_SECONDS)
        try:
            yield
        finally:
            self._cleaning = False
            _setitimer(signal.ITIMER_REAL, 0)

    def unending_destructors(self) -> list[tuple[str, int]]:
        """Return the files and lines of destructors that were cut off since the last time."""
        found, self._unending = self._unending, []
        return found

    def limited(self) -> TimeLimit:
        """Raise `TimeLimitExceeded` inside the block when it takes too long."""
        return self

    def __enter__(self) -> None:
        if self._installed:
            self._allowed = self.present
            self._limiting = True
            self._allow(self._allowed)

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        if self._installed:
            self._limiting = False
            _setitimer(signal.ITIMER_REAL, 0)
            if kind is not None and issubclass(kind, TimeLimitExceeded):
                self._wasted += self._allowed

    def shorten(self, longest: float = LIVE_SECONDS) -> None:
        """Reduce the remaining time inside a block of `limited` to at most `longest` seconds."""
        if self._installed and signal.getitimer(signal.ITIMER_REAL)[0] > longest:
            self._allow(min(longest, self.present))

    @property
    def own_seconds(self) -> float:
        """Processor seconds that our own code has taken inside calls so far."""
        return sum(own.busy_seconds for own in self._own_times)

    def _allow(self, seconds: float) -> None:
        self._end = self._application_clock() + seconds
        _setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)

    def _application_clock(self) -> float:
        return monotonic() - sum(own.seconds for own in self._own_times)

    def _expire(self, _signal: int, frame: FrameType | None) -> None:
        if not self._limiting:  # an alarm from outside (`sut.sandbox.warden`) may come too late
            if self._cleaning:
                self._cut_destructor(frame)
            return
        self.note_progress()
        until_our_alarm, _interval = signal.getitimer(signal.ITIMER_REAL)
        left = self._end - self._application_clock()
        if any(own.is_running for own in self._own_times):
            _setitimer(signal.ITIMER_REAL, max(left, REPEAT_SECONDS), REPEAT_SECONDS)
        elif left > SHORTEST_EXTENSION and until_our_alarm <= REPEAT_SECONDS:
            _setitimer(signal.ITIMER_REAL, left, REPEAT_SECONDS)
        else:
            raise TimeLimitExceeded

    def _cut_destructor(self, frame: FrameType | None) -> None:
        """Raise in a running destructor: Python continues as if it had ended."""
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                self._unending.append((frame.f_code.co_filename, frame.f_lineno))
                raise TimeLimitExceeded
            frame = frame.f_back
