"""Counts the time that our own code takes inside calls of the application.

The application is not to blame for it: a limit of its time, and a judgement on it, leave these
seconds out.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import time


class OwnTime:
    """A stopwatch that runs while our own code does, in the thread that made it.

    A block inside another block counts once.
    """

    def __init__(self, clock: Clock = monotonic, busy_clock: Clock = time.thread_time) -> None:
        self._clock = clock
        self._busy_clock = busy_clock
        self._thread = threading.get_ident()
        self._depth = 0
        self._began = 0.0
        self._began_busy = 0.0
        self._seconds = 0.0
        self.busy_seconds = 0.0
        """Seconds of the processor, of blocks that have ended."""

    @property
    def is_running(self) -> bool:
        """Say whether our own code runs now."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Seconds that our own code took so far, a block that has not ended included."""
        return self._seconds + (self._clock() - self._began if self._depth else 0.0)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time inside the block; another thread's is not counted."""
        if threading.get_ident() != self._thread:
            yield
            return
        if not self._depth:
            self._began, self._began_busy = self._clock(), self._busy_clock()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._seconds += self._clock() - self._began
                self.busy_seconds += self._busy_clock() - self._began_busy
