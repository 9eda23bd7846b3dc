"""What a run knows of its own speed."""

from __future__ import annotations

from collections import deque

from pytest_evosearch.core.quick_dataclasses import dataclass

LATEST_EXECUTIONS = 100
"""Number of executions that tell the present speed.

The first calls of an application are slow: it compiles templates and imports modules.  Others use
the machine at times.
"""

MOST_MEDIANS = 10.0
"""How many times the median an execution counts at most; a call that hangs is no usual one."""


class Durations:
    """The seconds of the latest executions."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque(maxlen=LATEST_EXECUTIONS)

    def note(self, seconds: float) -> None:
        """Note how long an execution took."""
        self._latest.append(seconds)

    @property
    def usual(self) -> float:
        """Return the average seconds of the latest executions, 0 before the first."""
        if not self._latest:
            return 0.0
        ordered = sorted(self._latest)
        most = MOST_MEDIANS * ordered[len(ordered) // 2]
        return sum(min(seconds, most) for seconds in ordered) / len(ordered)


@dataclass(frozen=True)
class Pace:
    """What is known so far about an application's speed, in seconds, and about its tests."""

    ready: float = 0.0
    """From the start of the command to the start of the search."""
    loading: float = 0.0
    """Loading the application in an interpreter."""
    set_up: float = 0.0
    """Fixtures of one test."""
    execution: float = 0.0
    """One execution of a test."""
    tests: int = 0
    """Number of tests that would be written if the search ended now."""
    shortened: int = 0
    """How many of them a process beside the search has minimised."""
    proven: int = 0
    """How many of them a process beside the search has verified."""
    processors: int = 1
    is_helped: bool = False
    """Whether a process beside the search is finishing tests."""

    @property
    def seconds_a_test(self) -> float:
        """Return the seconds for a written test in an interpreter with the application loaded."""
        return self.set_up + self.execution
