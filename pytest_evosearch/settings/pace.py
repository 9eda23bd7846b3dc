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


LOADINGS_OF_FIRST_RUN = 1.5
"""How many times as long as the start of a command the first run may load the application."""

INTERPRETER_SECONDS = 0.4
"""Seconds until an interpreter has loaded pytest with its plugins."""

PYTEST_SECONDS = 0.008
"""Seconds that pytest itself takes for one test of a run."""

FIRST_RUN_SECONDS_A_TEST = 0.05
"""Seconds that pytest itself takes for one test, with a reserve."""


def shortest_first_run(pace: Pace) -> float:
    """Return the seconds without which the first run would end before its first test.

    They are the same when time is over: a suite that is late beats none.
    """
    one_test = pace.seconds_a_test + FIRST_RUN_SECONDS_A_TEST
    return LOADINGS_OF_FIRST_RUN * pace.loading + one_test


def one_run(pace: Pace) -> float:
    """Return the expected seconds of one run of all written tests, as parts at once."""
    return pace.loading + INTERPRETER_SECONDS + pace.tests * seconds_of_running(pace)


def seconds_of_running(pace: Pace) -> float:
    """Return the seconds by which a test prolongs a run of which two parts may run at once."""
    return (pace.seconds_a_test + PYTEST_SECONDS) / min(2, pace.processors)
