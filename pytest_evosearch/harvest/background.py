"""The input of a harvest: its limits, and knowledge about the application."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.harvest.arranging.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.harvest.quantities import Described
from pytest_evosearch.harvest.quantities import nothing_described
from pytest_evosearch.harvest.telling_facts import Mutants
from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.settings.pace import PYTEST_SECONDS
from pytest_evosearch.settings.time_plan import WRITING_SECONDS
from pytest_evosearch.write.content.telling_texts import Wording

SLOW_SECONDS = 0.2
"""Seconds from which a test is slow and comes later: most take a hundredth."""


@dataclass(frozen=True)
class Allowance:
    """Limits of a harvest: time and executions."""

    time_left: Callable[[], float]
    """Returns the remaining seconds, infinite without a limit.

    It is called between executions: without time, minimisation stops, and nothing is lost.
    """
    limit: int
    """Most executions to minimise one test; most need about forty."""
    grace: Callable[[], float] = lambda: math.inf
    """Returns the seconds for the cheapest steps after the time is up."""
    most_tests: Callable[[int, float | None], float] = lambda _executions, _seconds: math.inf
    """Returns for how many tests there is time, from their executions and the seconds of one.

    None stands for the seconds of an execution in the search.
    """
    expected_seconds: Callable[[Individual], float] = lambda _individual: 0.0
    """Returns the expected seconds of a test's execution; only needed with a time limit."""

    def worth(self, individual: Individual, targets: Collection[TargetId]) -> tuple[bool, float]:
        """Return the value of a test that alone covers `targets`, for its time.

        Faults count most, then the number of targets for each second.
        """
        seconds = self.expected_seconds(individual) + WRITING_SECONDS + PYTEST_SECONDS
        return any(kind_of(target) == FAULT for target in targets), len(targets) / seconds

    def pace(self, individual: Individual) -> int:
        """Return how slow a test is; 0 for most, and for all tests without a time limit.

        When time is short, a slow test would displace many other tests.
        """
        if not math.isfinite(self.time_left()):
            return 0
        return int(self.expected_seconds(individual) / SLOW_SECONDS)


@dataclass(frozen=True)
class Sources:
    """What the files and settings of a project say about answers, crashes and requests."""

    wording: Callable[[], Wording] = Wording
    """Returns the texts of the templates."""
    newer_library: Callable[[str, str], str] = lambda _raised_in, _message: ""
    """Returns the library newer than stated that a crash comes of, empty for none."""
    is_of_machine: Callable[[str], bool] = lambda _text: False
    """Says whether a sent text is signed with a setting of this machine."""


@dataclass(frozen=True)
class Background:
    """Settings of the project, and knowledge from the search."""

    users: Sequence[str] = ()
    """Names of the project's own users."""
    callers: Mapping[str, Caller] = field(default_factory=dict)
    """Callers whom the search has found, by user name."""
    keys: FetchedKeys = field(default_factory=FetchedKeys)
    """Keys that tests read from responses instead of sending literals."""
    stability: Stability | None = None
    """The project's knowledge about stability of values in responses; None for none."""
    described: Described = nothing_described
    """Returns the present knowledge about values that tests send."""
    permanence: InProcess = field(default_factory=InProcess)
    """The assumptions that tests may make."""
    freezes: frozenset[TargetId] = frozenset()
    """Faults of calls that do not end, which are not executed again."""
    fence: Fence = field(default_factory=Fence)
    """Collects the failures of single tests and of what makes them better."""
    finished: FinishedTests = field(default_factory=FinishedTests)
    """Results of tests that were minimised and repeated before."""
    mutants: Mutants | None = None
    """Makes small changes of the application; None where it does not run in this process."""
    sources: Sources = field(default_factory=Sources)
    """What the project's files say."""
    rows: RowComposer | None = None
    """Puts rows into tables; None where tests can not."""
