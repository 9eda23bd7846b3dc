"""Divides the time of a harvest: what remains, and how much one test may take.

over       nothing is polished any more
scarce     the rest would just fit if every test took the cheapest way, so all do from now on
desperate  not even that fits: what was executed as it would be written is not executed again
closed     after one grace, the cheapest steps alone; after several, nothing
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pytest_evosearch.settings.time_plan import LAST_GRACES


class Allotment:
    """Divides the time of a harvest among its tests."""

    def __init__(
        self,
        time_left: Callable[[], float],
        grace: Callable[[], float] = lambda: math.inf,
    ) -> None:
        """Take a function that returns the remaining seconds, infinite without a limit.

        `grace` returns the seconds for the cheapest steps after the time is up.
        """
        self._time_left = time_left
        self._grace = grace
        self._reserved = 0.0
        self._kept_back = 0.0
        self._cheaply = 0.0
        self._at_least = 0.0

    def left(self) -> float:
        """Return the remaining seconds."""
        return self._time_left() - self._kept_back

    def is_closed(self, graces: int = 1) -> bool:
        """Say whether there is no time even for the cheapest steps.

        After several `graces`, nothing more is done.
        """
        is_late = self._time_left() <= -graces * self._grace()
        return is_late or (graces == 1 and self.is_scarce)

    def expect(self, cheaply: float, at_least: float) -> None:
        """Note the seconds of all that follows, the cheapest way, and without any leaving out."""
        self._cheaply, self._at_least = cheaply, at_least

    @property
    def is_scarce(self) -> bool:
        """Say whether all that follows only fits if every test takes the cheapest way."""
        return self._until_the_end() < self._cheaply

    @property
    def is_desperate(self) -> bool:
        """Say whether no test may be executed that was executed as it would be written."""
        return self._until_the_end() < self._at_least

    def _until_the_end(self) -> float:
        """Return the seconds until nothing more is done."""
        return self._time_left() + LAST_GRACES * self._grace()

    def is_half_over(self, begun_with: float) -> bool:
        """Say whether half of the seconds at the beginning of a step have passed."""
        return math.isfinite(begun_with) and self.left() < begun_with / 2

    def keep_back(self, executions: int, seconds: float) -> None:
        """Reserve the time for `executions` of `seconds` each, but at most half of the rest.

        This only happens when time is short even for the cheapest steps.
        """
        if math.isfinite(self._grace()):
            self._kept_back = min(executions * seconds, max(0.0, self._time_left() / 2))

    def give_back(self) -> None:
        """Release the reserved time."""
        self._kept_back = 0.0

    def is_over(self) -> bool:
        """Say whether the time is up."""
        return self.left() <= 0 or self.is_scarce

    def reserve(self, others: int) -> None:
        """Reserve time for `others` tests: as much for each as for the next test.

        So every test loses its unnecessary calls before any test is polished.
        """
        left = self.left()
        self._reserved = left * others / (others + 1) if math.isfinite(left) else 0.0

    def is_next_ones_turn(self) -> bool:
        """Say whether the time of the present test is up."""
        return self.left() <= self._reserved
