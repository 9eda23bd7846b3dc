"""Limits the time of each run of the written tests.

The first run decides which tests are kept, so it gets most of the time, and some time even when
none is left. It hashes passwords at full cost, so a part of its time is kept for running what it
does not reach with cheap hashes. The other runs share the rest: each test runs in one of them, and
a sample of tests in all. Where runs follow one another, the samples come before measuring: it needs
time for all tests, and a sample is of use with any.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.phase_shares import FIRST_RUN_SHARE
from pytest_evosearch.settings.phase_shares import MEASURING_RUNS
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS

NEVER = math.inf


@dataclass
class Limits:
    """Divides the remaining time for verification among its runs."""

    time_left: Callable[[], float] = lambda: NEVER
    """Returns the remaining seconds, infinite without a limit."""
    least: float = LEAST_RUN_SECONDS
    """Fewest seconds for a run to begin."""
    first_run: float = LEAST_RUN_SECONDS
    """Seconds of the first run, even when the time is up: tests that it does not reach are lost."""
    catching_up: float = 0.0
    """Expected seconds for running all tests with cheap hashes; 0 where nothing is hashed."""
    is_first: bool = False
    """Whether this is the unchanged run, where tests left out are not kept."""
    _catches_up: bool = False
    _end_of_first: float = NEVER
    """The seconds that are left when the first run and catching up must end; often negative."""
    _waiting: int = 0
    """Number of runs that have not begun."""
    _width: int = 1
    _first_took: float = 0.0
    """Seconds of the longest unchanged run."""
    _kept: float = 0.0
    """Seconds that are kept for measuring after the runs."""

    @property
    def is_limited(self) -> bool:
        """Say whether there is a time limit."""
        return self.time_left() != NEVER

    @contextmanager
    def first(self) -> Iterator[None]:
        """Mark the block as the unchanged run of the tests."""
        self.is_first, self._end_of_first = True, NEVER
        try:
            yield
        finally:
            self.is_first = False

    @contextmanager
    def rest(self) -> Iterator[None]:
        """Mark the block as a run of the tests that the unchanged run has not reached."""
        self._catches_up = True
        try:
            yield
        finally:
            self._catches_up = False

    @property
    def seconds_of_rest(self) -> float:
        """Return the seconds that are left for the tests that the first run has not reached.

        This is all that is left; where that is over, it is what the first run may take beyond.
        """
        return self.time_left() - min(0.0, self._end_of_first)

    def expect(self, runs: int, width: int) -> None:
        """Prepare for a number of runs, of which `width` run at once."""
        self._waiting, self._width, self._kept = runs, width, 0.0

    def note(self, seconds: float) -> None:
        """Note how long a run took."""
        if self.is_first:
            self._first_took = max(self._first_took, seconds)

    def keep_for_measuring(self) -> None:
        """Keep the time for measuring after the runs, if these can have a sample as well."""
        wanted = MEASURING_RUNS * self._first_took
        self._kept = wanted if self.suffice_for(wanted + self.least) else 0.0

    def begin(self) -> float:
        """Return the seconds of a run that begins now.

        It also gets what would be too little for the later ones.
        """
        left = self.time_left() - self._kept
        if left == NEVER:
            return left
        turns = max(1, math.ceil(self._waiting / self._width))
        self._waiting = max(0, self._waiting - 1)
        if self.is_first:
            return self.seconds_of_rest if self._catches_up else self._begin_first(left)
        share = left / turns
        return share if left - share >= self.least else left

    def _begin_first(self, left: float) -> float:
        allowed = max(FIRST_RUN_SHARE * left, self.first_run)
        self._end_of_first = min(self._end_of_first, left - allowed)
        kept = max(0.0, self.catching_up - max(0.0, left - allowed))
        spare = allowed - kept
        return spare if spare >= self.least or not kept else 0.0

    def suffice_for(self, seconds: float) -> bool:
        """Say whether there is time for another run of this length."""
        return self.time_left() >= seconds

    def suffice_for_repetition(self, seconds: float) -> bool:
        """Say whether there is time to repeat a run of this length."""
        return self.suffice_for(self.least + seconds)


def seconds_variable(seconds: float) -> Mapping[str, str]:
    """Return the variable that stops new tests of a run after this time; see `write.plugins`."""
    return {} if seconds == NEVER else {"EVOSEARCH_VERIFY_SECONDS": f"{seconds:.2f}"}
