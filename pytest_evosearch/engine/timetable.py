"""Follows a command through its time plan: what is measured, how far it is, when a phase ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.pace import Pace
from pytest_evosearch.settings.time_plan import WRITTEN_SHARE
from pytest_evosearch.settings.time_plan import TimePlan
from pytest_evosearch.settings.time_plan import last_moment

LOOK_SECONDS = 0.5
"""Seconds between two looks at how many tests there are by now."""

LAST_SECONDS = 1.0
"""What is left until the command has ended, however long it was to take."""

MOST_SHOWN = 0.99
"""The command ends with its last line, and no share reads 100 % before that."""


@dataclass
class Timetable:
    """The clock of one command; `began` is the moment at which it was started."""

    plan: TimePlan
    began: float
    clock: Clock = monotonic
    pace: Pace = field(default_factory=Pace)
    count_tests: Callable[[], int] = lambda: 0
    """Counts the tests that there are by now, which takes a moment."""
    count_finished: Callable[[], tuple[int, int, bool]] = lambda: (0, 0, False)
    """Counts those that are minimised, and those that are verified; tells whether more come."""
    usual_seconds: Callable[[], float] = lambda: 0.0
    """Tells what executing a test has taken on average, learning from it aside."""
    _looked: float = -math.inf
    _end: float = math.inf
    """Of the search, in seconds since the start, as it was predicted last."""
    _finish: float = math.inf
    """End of the command, in seconds since the start, as it was predicted last."""
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
        self._looked = -math.inf

    def search_share(self) -> float:
        """Return how much of the search of a timely run is over."""
        self._look()
        return (self.now - self.pace.ready) / max(self._end - self.pace.ready, 1e-9)

    def _look(self) -> None:
        """Measure the pace of the search now and then, and predict when it has to end."""
        now = self.now
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        shortened, proven, are_coming = self.count_finished()
        self.pace = replace(
            self.pace,
            tests=self.count_tests(),
            shortened=shortened,
            proven=proven,
            is_helped=are_coming,
            execution=self.usual_seconds(),
        )
        self._end = self.plan.end_of_search(self.pace)

    def forecast(self, share: float) -> tuple[float, float | None]:
        """Return the share of the command that is over, and the seconds that are left of it.

        `share` is that of the search.
        """
        self._look()
        spent = self.now - self.pace.ready
        if self.plan.is_timely:
            left = max(0.0, self._end - self.now)
        else:
            left = spent / share - spent if share > 0 else math.inf
        self._finish = self._latest(self.now + left + self.plan.remaining("inquire", self.pace))
        return self.share, self.left if math.isfinite(self._finish) else None

    def begin_phase(self, name: str) -> None:
        """Predict when the command ends whose phase `name` begins now."""
        self._finish = self._latest(self.now + self.plan.remaining(name, self.pace))

    def _latest(self, finish: float) -> float:
        """Return when a command ends that would take until `finish`: time limits what follows."""
        return min(finish, self.plan.latest) if self.now < self.plan.latest else finish

    @property
    def left(self) -> float:
        """Return the seconds that are left of the command, infinite where that is not known."""
        return max(LAST_SECONDS, self._finish - self.now)

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

    def most_tests(self, seconds: float | None = None) -> float:
        """Return for how many tests there is time now, where an execution takes `seconds`.

        None stands for what it took in the search.
        """
        pace = self.pace if seconds is None else replace(self.pace, execution=seconds)
        return self.plan.most_tests(self.now, pace)

    @property
    def least_of_verifying(self) -> float:
        """Return what one run of the written tests takes at least."""
        return self.plan.least_of_verifying(self.pace)

    @property
    def first_run_seconds(self) -> float:
        """Return what the first run of the written tests gets even when time is over."""
        most = last_moment(self.plan) - self.now - self.pace.seconds_a_test  # of the last test
        return min(max(self.least_of_verifying, most), self.plan.first_run_seconds(self.pace))


def measuring_seconds(timetable: Timetable) -> float:
    """Return what measuring the written tests may take now, 0 where it would be cut off.

    Of a part of the tests a measurement is wrong, so it may take longer than what is beside it.
    """
    left, pace = timetable.verifying()(), timetable.pace
    allowed = max(0.0, left) + timetable.least_of_verifying
    allowed = min(allowed, last_moment(timetable.plan) - timetable.now)
    return allowed if allowed >= pace.loading + pace.tests * pace.seconds_a_test else 0.0


def written_tests(archive: Archive[Any]) -> int:
    """Return about how many tests would be written of an archive.

    Some of its tests only guide the search, and what some cover others cover by the way.
    """
    covered = archive.covered.items()
    held = {id(one.individual) for target, one in covered if kind_of(target) not in GUIDES}
    return round(WRITTEN_SHARE * len(held))
