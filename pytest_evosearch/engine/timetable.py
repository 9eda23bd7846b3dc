"""Follows a command through its time plan: its pace, its progress, and when each phase ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.pace import Pace
from pytest_evosearch.settings.pace import one_run
from pytest_evosearch.settings.pace import shortest_first_run
from pytest_evosearch.settings.phase_shares import WRITTEN_SHARE
from pytest_evosearch.settings.time_plan import TimePlan
from pytest_evosearch.settings.time_plan import last_moment

LOOK_SECONDS = 0.5
"""Seconds between two counts of the tests found so far."""

LAST_SECONDS = 1.0
"""Seconds that are shown as left until the command has ended, at least."""

MOST_SHOWN = 0.99
"""Largest share that is shown: the command ends with its last line, and not before."""

HELD_SHARE = 0.1
"""Largest step back that is not shown, because predictions vary."""


@dataclass
class Timetable:
    """The clock of one command, which started at the moment `began`."""

    plan: TimePlan
    began: float
    clock: Clock = monotonic
    pace: Pace = field(default_factory=Pace)
    count_tests: Callable[[], int] = lambda: 0
    """Returns the number of tests so far; counting takes a moment."""
    count_finished: Callable[[], tuple[int, int, bool]] = lambda: (0, 0, False)
    """Returns the numbers of minimised and of verified tests, and whether more will come."""
    usual_seconds: Callable[[], float] = lambda: 0.0
    """Returns the average seconds of executing a test, without learning from it."""
    _looked: float = -math.inf
    _end: float = math.inf
    """Predicted end of the search, in seconds since the start."""
    _finish: float = math.inf
    """Predicted end of the command, in seconds since the start."""
    _shown: float = 0.0

    @property
    def now(self) -> float:
        """Return the seconds since the command started."""
        return self.clock() - self.began

    def note(
        self,
        *,
        loading: float | None = None,
        set_up: float | None = None,
        tests: int | None = None,
        processors: int | None = None,
    ) -> None:
        """Store what was measured; None leaves a value unchanged."""
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
        """Return the share of a timely run's search that is done."""
        self._look()
        return (self.now - self.pace.ready) / max(self._end - self.pace.ready, 1e-9)

    def _look(self) -> None:
        """Measure the pace of the search now and then, and predict when it must end."""
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
        """Return the share of the command that is done, and the seconds that are left.

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

    def predict_end(self, phase: str, done: float = 0.0) -> None:
        """Predict the end of a command; the share `done` of its present phase is over.

        The pace is measured again: the tests that are minimised are not those of the search, and
        the machine may be busier.
        """
        self.pace = replace(self.pace, execution=self.usual_seconds() or self.pace.execution)
        self._finish = self._latest(self.now + self.plan.remaining(phase, self.pace, done))

    def _latest(self, finish: float) -> float:
        """Return the end of a command that would take until `finish`; time limits shorten it."""
        return min(finish, self.plan.latest) if self.now < self.plan.latest else finish

    @property
    def left(self) -> float:
        """Return the seconds that are left for the command; infinite where they are not known."""
        return max(LAST_SECONDS, self._finish - self.now)

    @property
    def share(self) -> float:
        """Return the share of the command that is done, which is below 1.

        It falls only where far more is left than was predicted: 99 % with minutes to go misleads.
        """
        now = self.now
        share = min(MOST_SHOWN, now / (now + self.left)) if now > 0 else 0.0
        if not self._shown - HELD_SHARE <= share <= self._shown:
            self._shown = share
        return self._shown

    def until(self, moment: float) -> Callable[[], float]:
        """Return a function that returns the seconds left until `moment` of the command."""
        return lambda: moment - self.now

    def verifying(self) -> Callable[[], float]:
        """Return a function that returns the seconds left for verification.

        They are infinite with a budget of evaluations.
        """
        if not self.plan.is_timely:
            return lambda: math.inf
        return self.until(self.plan.end_of_verifying)

    def most_tests(self, executions: int, seconds: float | None = None) -> float:
        """Return for how many tests there is time now that are executed so often before they run.

        An execution takes `seconds`; None means the average of the search.
        """
        pace = self.pace if seconds is None else replace(self.pace, execution=seconds)
        return self.plan.most_tests(self.now, pace, executions)

    @property
    def least_of_verifying(self) -> float:
        """Return the seconds for the shortest useful run of the written tests."""
        return self.plan.least_of_verifying(self.pace)

    @property
    def first_run_seconds(self) -> float:
        """Return the seconds for the first run of the written tests, even when time is over."""
        most = last_moment(self.plan) - self.now - self.pace.seconds_a_test  # of the last test
        usual = min(max(self.least_of_verifying, most), self.plan.first_run_seconds(self.pace))
        return max(usual, shortest_first_run(self.pace))


def catching_up_seconds(timetable: Timetable) -> float:
    """Return the expected seconds of a run of all tests with hashes as cheap as here."""
    return one_run(timetable.pace) if timetable.plan.is_timely else 0.0


def measuring_seconds(timetable: Timetable) -> float:
    """Return the seconds for measuring the written tests now; 0 where it would be cut off.

    A measurement of some of the tests is wrong.  So it may take longer than the runs beside it.
    """
    left, pace = timetable.verifying()(), timetable.pace
    allowed = max(0.0, left) + timetable.least_of_verifying
    allowed = min(allowed, last_moment(timetable.plan) - timetable.now)
    return allowed if allowed >= pace.loading + pace.tests * pace.seconds_a_test else 0.0


def written_tests(archive: Archive[Any]) -> int:
    """Return about how many tests would be written from an archive.

    Some of its tests only guide the search, and other tests cover the targets of some.
    """
    covered = archive.covered.items()
    held = {id(one.individual) for target, one in covered if kind_of(target) not in GUIDES}
    return round(WRITTEN_SHARE * len(held))
