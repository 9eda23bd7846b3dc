"""Follows a command through its time plan: what is measured, how far it is, when a phase ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.settings.time_plan import Pace
from pytest_evosearch.settings.time_plan import TimePlan

LOOK_SECONDS = 0.5
"""Seconds between two looks at how many tests there are by now."""

MOST_SHOWN = 0.99
"""The command ends with its last line, and no share reads 100 % before that."""


@dataclass
class Timetable:
    """The clock of one command; `began` is the moment at which it was started."""

    plan: TimePlan
    began: float
    clock: Clock = monotonic
    pace: Pace = field(default_factory=Pace)
    _looked: float = -math.inf
    _end: float = math.inf
    """Of the search, in seconds since the start, as it was predicted last."""
    _finish: float = math.inf
    """Of the command, likewise."""
    _shown: float = 0.0

    @property
    def now(self) -> float:
        """Return the seconds since the command was started."""
        return self.clock() - self.began

    def note(
        self,
        *,
        loading: float | None = None,
        set_up: float | None = None,
        tests: int | None = None,
        processors: int | None = None,
    ) -> None:
        """Remember what was measured; what is None stays as it is known."""
        pace = self.pace
        self.pace = replace(
            pace,
            loading=pace.loading if loading is None else loading,
            set_up=pace.set_up if set_up is None else set_up,
            tests=pace.tests if tests is None else tests,
            processors=pace.processors if processors is None else processors,
        )

    def begin_search(self) -> None:
        """Note that the search begins now."""
        self.pace = replace(self.pace, ready=self.now)

    def search_share(self, evaluations: int, tests: Callable[[], int]) -> float:
        """Return how much of the search of a timely run is over, after so many `evaluations`.

        `tests` counts the tests that there are by now, which takes a moment.
        """
        now = self.now
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            spent = now - self.pace.ready
            self.pace = replace(self.pace, tests=tests(), execution=spent / max(1, evaluations))
            self._end = self.plan.end_of_search(self.pace)
        return (now - self.pace.ready) / max(self._end - self.pace.ready, 1e-9)

    def expect(self, share_of_search: float) -> None:
        """Predict when the command ends, from the share of the search that is over."""
        now, spent = self.now, self.now - self.pace.ready
        left = spent / share_of_search - spent if share_of_search > 0 else math.inf
        after = self.plan.finishing(self.pace) if self.plan.seconds is not None else 0.0
        self._finish = now + left + after

    def expect_no_more_than(self, seconds: float) -> None:
        """Predict that the command ends after so many seconds, unless it was to end before."""
        self._finish = min(max(self._finish, self.now), self.now + seconds)

    @property
    def left(self) -> float:
        """Return the seconds that are left of the command, infinite where that is not known."""
        return max(0.0, self._finish - self.now)

    @property
    def share(self) -> float:
        """Return how much of the command is over; it never falls, and is below 1."""
        now = self.now
        share = now / (now + self.left) if now > 0 else 0.0
        self._shown = max(self._shown, min(MOST_SHOWN, share))
        return self._shown

    def until(self, moment: float) -> Callable[[], float]:
        """Return what tells the seconds that are left until `moment` of the command."""
        return lambda: moment - self.now

    def verifying(self) -> Callable[[], float]:
        """Return what tells how much time verification has left, infinite in a thorough run."""
        if not self.plan.is_timely:
            return lambda: math.inf
        return self.until(self.plan.end_of_verifying)

    @property
    def least_of_verifying(self) -> float:
        """Return what the first run of the written tests gets in any case."""
        return self.plan.least_of_verifying(self.pace)


def distinct(individuals: Iterable[object]) -> int:
    """Count the objects, each of them once."""
    return len({id(one) for one in individuals})
