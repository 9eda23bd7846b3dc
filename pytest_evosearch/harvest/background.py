"""What a harvest builds on: how much it may take, and what is known of the application."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.harvest.arranging.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.harvest.quantities import Described
from pytest_evosearch.harvest.quantities import nothing_described
from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.exchanges.individual import Individual

QUICK_SHARE = 0.25
"""Of what an execution takes on average: quick tests are kept first where there is no time for all.
"""

SLOW_SECONDS = 0.2
"""Tests that take as long more come after others: most take a hundredth."""


@dataclass(frozen=True)
class Allowance:
    """How long a harvest may take, and how many executions."""

    time_left: Callable[[], float]
    """Seconds, infinite without a limit; asked between executions: without time minimisation is cut
    short, and nothing is lost."""
    limit: int
    """Executions that the minimisation of one test may cost; most need about forty."""
    overtime: float = 0.0
    """Seconds more that may be taken where there are many tests of a slow application."""
    grace: float = math.inf
    """Seconds in which the steps that are cheapest are still taken when time is over."""
    most_tests: Callable[[float | None], float] = lambda _seconds: math.inf
    """Tells for how many tests there is time, where one execution takes so many seconds; None for
    what it took in the search."""
    expected_seconds: Callable[[Individual], float] = lambda _individual: 0.0
    """What executing a test takes, as far as is known; asked where there is a limit of time."""

    def is_quick(self, individual: Individual, seconds: float) -> bool:
        """Say whether a test takes far less than others, which take so many `seconds`.

        There is time for it, whatever they show.
        """
        return self.expected_seconds(individual) < QUICK_SHARE * seconds

    def pace(self, individual: Individual) -> int:
        """Return how slow a test is; 0 for most, and for all where no clock decides.

        Where time may be too short for all, a slow test costs many others their turn.
        """
        if not math.isfinite(self.time_left()):
            return 0
        return int(self.expected_seconds(individual) / SLOW_SECONDS)


@dataclass(frozen=True)
class Background:
    """What the project says and the search has learnt."""

    users: Sequence[str] = ()
    """Names of those whom the project logs in."""
    callers: Mapping[str, Caller] = field(default_factory=dict)
    """Those whom the search has found, by the name of their user."""
    keys: FetchedKeys = field(default_factory=FetchedKeys)
    """What tests fetch instead of sending it as a literal."""
    stability: Stability | None = None
    """What the project says of values in answers; None where it says nothing."""
    described: Described = nothing_described
    """What is known by now of the values that tests send."""
    permanence: InProcess = field(default_factory=InProcess)
    """What tests can count on."""
    freezes: frozenset[TargetId] = frozenset()
    """Faults of calls that do not end, which are not executed again for their own sake."""
    finished: FinishedTests = field(default_factory=FinishedTests)
    """What became of tests that were minimised and repeated before."""
