"""Says how long each run of the written tests may take.

The first run decides which tests are kept, so it gets most of the time, and some of it even when
time is over.  The other runs share what is left: each test is run in one, a sample of them in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pytest_evosearch.settings.time_plan import FIRST_RUN_SHARE
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS

NEVER = math.inf


@dataclass
class Limits:
    """Divides what is left of the time for verification among its runs."""

    time_left: Callable[[], float] = lambda: NEVER
    """Tells the seconds, infinite where the runs take as long as they need."""
    least: float = LEAST_RUN_SECONDS
    """Seconds below which no run begins again."""
    first_run: float = LEAST_RUN_SECONDS
    """Seconds of the first run even when time is over: a test that it does not reach is lost."""
    is_first: bool = False
    """Whether the tests are run as they are, so that what is left out is not kept."""
    _waiting: int = 0
    """Runs that have not begun."""
    _width: int = 1

    @property
    def is_limited(self) -> bool:
        """Say whether time decides anything."""
        return self.time_left() != NEVER

    @contextmanager
    def first(self) -> Iterator[None]:
        """Run the tests as they are inside."""
        self.is_first = True
        try:
            yield
        finally:
            self.is_first = False

    def expect(self, runs: int, width: int) -> None:
        """Prepare for so many runs, of which `width` take place at once."""
        self._waiting, self._width = runs, width

    def begin(self, runs: int = 1) -> float:
        """Return the seconds of a process that begins now, and does so many runs."""
        left = self.time_left()
        if left == NEVER:
            return left
        turns = max(1, math.ceil(self._waiting / self._width))
        self._waiting = max(0, self._waiting - runs)
        if self.is_first:
            return max(FIRST_RUN_SHARE * left, self.first_run)
        return min(left, runs * left / turns)

    def suffice_for(self, seconds: float) -> bool:
        """Say whether there is time for another run of so many seconds."""
        return self.time_left() >= seconds

    def suffice_for_repetition(self, seconds: float) -> bool:
        """Say whether there is time for running what took so many seconds once more."""
        return self.suffice_for(self.least + seconds)


def seconds_variable(seconds: float) -> Mapping[str, str]:
    """Return what lets a run begin no test after so many seconds; see `write.plugins`."""
    return {} if seconds == NEVER else {"EVOSEARCH_VERIFY_SECONDS": f"{seconds:.2f}"}
