"""Time for the tests of a harvest: what is left of it, and how much of that one test may take."""

from __future__ import annotations

import math
from collections.abc import Callable

FEWEST_EXECUTIONS = 12
"""Executions that each test should have to itself: with three it keeps what it does not need."""


class Allotment:
    """Divides the time of a harvest among its tests."""

    def __init__(self, time_left: Callable[[], float], overtime: float = 0.0) -> None:
        """Take the clock, which tells seconds, infinite without a limit.

        `overtime` are seconds more that may be taken where there are many tests of a slow
        application.
        """
        self._time_left = time_left
        self._overtime = overtime
        self._extra = 0.0
        self._reserved = 0.0

    def left(self) -> float:
        """Return the seconds that are left, with the overtime that is needed."""
        return self._time_left() + self._extra

    def is_over(self) -> bool:
        """Say whether there is no time for anything more."""
        return self.left() <= 0

    def extend(self, tests: int, seconds: float) -> None:
        """Take as much overtime as `tests` need where one execution takes so many seconds."""
        wanted = FEWEST_EXECUTIONS * tests * seconds
        if math.isfinite(self._time_left()):
            self._extra = min(self._overtime, max(0.0, wanted - self._time_left()))

    def reserve(self, others: int) -> None:
        """Keep the time of `others` tests back, each as much as the one that is next gets.

        So each test loses the calls that it does not need before any is polished.
        """
        left = self.left()
        self._reserved = left * others / (others + 1) if math.isfinite(left) else 0.0

    def is_next_ones_turn(self) -> bool:
        """Say whether the time of the test that is being minimised is over."""
        return self.left() <= self._reserved
