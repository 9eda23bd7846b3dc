"""Time for the tests of a harvest: what is left of it, and how much of that one test may take."""

from __future__ import annotations

import math
from collections.abc import Callable

from pytest_evosearch.settings.time_plan import FEWEST_EXECUTIONS


class Allotment:
    """Divides the time of a harvest among its tests."""

    def __init__(
        self, time_left: Callable[[], float], overtime: float = 0.0, grace: float = math.inf
    ) -> None:
        """Take the clock, which tells seconds, infinite without a limit.

        `overtime` are seconds more that may be taken where there are many tests of a slow
        application; `grace` are seconds in which the steps that are cheapest are still taken when
        time is over.
        """
        self._time_left = time_left
        self._overtime = overtime
        self._grace = grace
        self._extra = 0.0
        self._reserved = 0.0
        self._kept_back = 0.0

    def left(self) -> float:
        """Return the seconds that are left, with the overtime that is needed."""
        return self._time_left() + self._extra - self._kept_back

    def is_closed(self, graces: int = 1) -> bool:
        """Say whether there is no time even for the steps that are taken when time is over.

        After several `graces` there is none for anything.
        """
        return self._time_left() + self._extra <= -graces * self._grace

    def is_half_over(self, begun_with: float) -> bool:
        """Say whether half of the seconds are over with which something began."""
        return math.isfinite(begun_with) and self.left() < begun_with / 2

    def keep_back(self, executions: int, seconds: float) -> None:
        """Keep the time of `executions` back, each of so many `seconds`; half of it at most.

        Only where time is short even for the cheapest steps: elsewhere it is taken when it is
        needed.
        """
        if math.isfinite(self._grace):
            self._kept_back = min(executions * seconds, max(0.0, self._time_left() / 2))

    def give_back(self) -> None:
        """Let what was kept back be used."""
        self._kept_back = 0.0

    def is_over(self) -> bool:
        """Say whether there is no time for anything more."""
        return self.left() <= 0

    def extend(self, tests: int, seconds: float) -> None:
        """Take the overtime that `tests` need where one execution takes `seconds`."""
        wanted = FEWEST_EXECUTIONS * tests * seconds
        if math.isfinite(self._time_left()):
            self._extra = min(self._overtime, max(0.0, wanted - self._time_left()))

    def reserve(self, others: int) -> None:
        """Keep time back for `others` tests: for each, the time that the next test gets.

        So each test loses the calls that it does not need before any is polished.
        """
        left = self.left()
        self._reserved = left * others / (others + 1) if math.isfinite(left) else 0.0

    def is_next_ones_turn(self) -> bool:
        """Say whether the time of the test that is being minimised is over."""
        return self.left() <= self._reserved
