"""Measures the time that this plugin's code takes inside calls of the application.

Time limits and oracles subtract these seconds, because the application did not cause them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import time

OWN_PACKAGES = frozenset(
    ("pytest_evosearch", "_pytest", "pytest", "pluggy", "coverage", "xdist", "execnet")
)
"""Packages that run or watch a search; what they do does not count as the application's work."""


class OwnTime:
    """A stopwatch for this plugin's code in the thread that made the stopwatch.

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
        """Processor seconds of the blocks that have ended."""

    @property
    def is_running(self) -> bool:
        """Say whether this plugin's code runs now."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Return the seconds that this plugin's code took, the running block included."""
        return self._seconds + (self._clock() - self._began if self._depth else 0.0)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time inside the block, unless another thread runs it."""
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
