"""How the time of a command is divided: every share and floor.

A budget of seconds is that of the whole command: the search predicts how long the later phases will
take, and ends early enough for them. With a budget of evaluations no clock decides anything.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.pace import FIRST_RUN_SECONDS_A_TEST
from pytest_evosearch.settings.pace import INTERPRETER_SECONDS
from pytest_evosearch.settings.pace import PYTEST_SECONDS
from pytest_evosearch.settings.pace import Pace
from pytest_evosearch.settings.pace import one_run
from pytest_evosearch.settings.pace import seconds_of_running

if TYPE_CHECKING:
    from pytest_evosearch.settings.checked import Settings

# The whole command, in a timely run.

LATEST_SHARE = 1.2
LATEST_SECONDS = 7.0
"""The command ends after this share of the budget plus these seconds, even if work is left."""

ALLOWED_SHARE = 1.25
ALLOWED_SECONDS = 8.0
"""Share and seconds that a command may take when a phase whose loss costs tests is late.

This is two seconds less than what is promised, because interpreters need time to end.
"""

# The search.

SEARCH_FLOOR = 0.35
"""Share that the search gets in any case of the time after the application is ready.

Where an application needs half of the budget to start, its tests are slow to verify, too.
"""

LEAST_SEARCH = 0.1
"""Share of the budget that the search gets even where the start has taken all of it."""

HELPED_FLOOR = 0.5
"""Share of that time that the search gets while a second process finishes tests.

The later phases get shorter then.  The share holds where one more run of all tests still fits.
"""

SEARCH_SHARE = 0.85
"""Share of a budget of evaluations after which a search is as focused as it gets."""

INQUIRY_SHARE = 0.07
"""Share of the budget for all questions."""

USUAL_QUESTIONS = 5
"""Usual number of questions for each test that will be written; without users it is smaller."""

CONFIRM_SHARE = 0.5
"""Share of the budget for asking again whether calls end that a short search cut off early.

The last of these calls may take longer.
"""

# Minimising.

USUAL_EXECUTIONS = 30
"""Usual number of executions for minimising one test and repeating it."""

KNOWN_EXECUTIONS = 10
"""Executions of a test whose simplest form is known: one to look at it, the rest to repeat it."""

MINIMIZE_GRACE = 0.1
"""Share of the budget of a timely run, for what makes most tests simple after the time is over.

After some of these graces, tests whose minimising has not begun are dropped.
"""

LAST_GRACES = 8
"""Graces after which no test is minimised or repeated: a run of the tests must still fit in."""

LEAST_GRACE_SECONDS = 0.25
"""Shortest grace, for a run that is late already."""

MINIMIZE_FLOOR = 0.08
MINIMIZE_SHARE = 0.25
"""Smallest and largest share of the budget of a timely run for minimising."""

# Verifying, measuring, reports.

VERIFY_SHARE = 0.4
"""Largest share of the budget that the search of a timely run leaves to verification."""

SAMPLE_SHARE = 0.1
"""Share of the budget that the search leaves to other circumstances than the first.

This holds where there is no time for all tests in all circumstances: a sample of them is run, and
the command may end later than its budget for a larger one.
"""

LOADINGS = 3.0
PASSES = 2.0
"""Interpreters that verification loads one after another, and how often it runs all tests.

Both numbers hold for two processors, which do two runs at once.
"""

PROVEN_PASSES = 1.0
"""How often verification runs tests that were verified before; the measured run goes beside it."""

WRITING_EXECUTIONS = 3
"""Executions that a test takes at least before it is written.

One shows what it covers, one cuts it after its act where that is necessary, and one shows what is
stable.
"""

WRITING_SECONDS = 0.01
"""Seconds for writing one test as text; it is written again after verification."""

FEWEST_TESTS = 10
"""Tests that are written even when there is little time."""

LEAST_RUN_SECONDS = 2.0
"""Shortest time in seconds for which another run begins."""

LEAST_RUN_SHARE = 0.15
"""Largest share of the budget for loading the application in a run that always takes place."""

FIRST_RUN_GRACE = 4.0
"""How many times its expected time the first run may take.

A test that it does not reach is lost.  On a busy machine a test takes several times longer than in
the search.
"""

FIRST_RUN_MOST = 0.5
FIRST_RUN_MOST_SECONDS = 20.0
"""Share of the budget plus seconds for the first run, at most, when time is over."""

REPORT_SHARE = 0.05
REPORT_SECONDS = 3.0
"""Share of the budget, and seconds at most, for all that comes after verification."""

REPLAY_SECONDS = 5.0
"""Seconds for executing tests again for the reports.

A test that hangs takes its whole time limit.
"""

REPLAY_SHARE = 0.03
"""Share of the budget of a timely run for executing tests again for the reports."""


PHASES = {
    "inquire": "running targeted fault checks",
    "minimize": "minimising the tests",
    "write": "writing and verifying the tests",
    "measure": "measuring what the tests cover",
    "mutate": "running the tests against mutants",
}
"""The phases after the search, in this order, in the words that the user reads."""


@dataclass(frozen=True)
class TimePlan:
    """How long each phase of one command may take; moments are seconds since its start."""

    seconds: float | None = None
    """Seconds of the budget; None for a budget of evaluations."""
    asks: bool = True
    """Whether questions follow the search; a search for units has none."""

    @property
    def is_timely(self) -> bool:
        """Say whether the budget is that of the whole command."""
        return self.seconds is not None

    @property
    def budget(self) -> float:
        """Return the seconds of the budget; infinite for a budget of evaluations."""
        return math.inf if self.seconds is None else self.seconds

    @property
    def latest(self) -> float:
        """Return the moment when the command ends, even if work is left."""
        return LATEST_SHARE * self.budget + LATEST_SECONDS if self.is_timely else math.inf

    @property
    def reporting(self) -> float:
        """Return the seconds for all that comes after verification."""
        return min(REPORT_SHARE * self.budget, REPORT_SECONDS)

    @property
    def inquiry_seconds(self) -> float:
        """Return the seconds for all questions."""
        return INQUIRY_SHARE * self.budget

    @property
    def confirming_seconds(self) -> float:
        """Return the seconds for asking whether calls end that were cut off early."""
        return CONFIRM_SHARE * self.budget

    @property
    def replay_seconds(self) -> float:
        """Return the seconds for executing tests again for the reports."""
        return min(REPLAY_SECONDS, REPLAY_SHARE * self.budget)

    def inquiring(self, pace: Pace) -> float:
        """Return the expected seconds of the questions."""
        usual = USUAL_QUESTIONS * pace.tests * pace.execution
        return min(self.inquiry_seconds, usual) if self.asks else 0.0

    def minimizing(self, pace: Pace) -> float:
        """Return the expected seconds of minimising."""
        shortened = min(pace.shortened, pace.tests)
        executions = USUAL_EXECUTIONS * (pace.tests - shortened) + KNOWN_EXECUTIONS * shortened
        expected = executions * pace.execution
        return min(MINIMIZE_SHARE * self.budget, expected)

    def verifying(self, pace: Pace) -> float:
        """Return the seconds that the search leaves to verifying and to measuring beside it.

        Slow tests are all run in one circumstance, and by sample in the others.
        """
        most, whole = VERIFY_SHARE * self.budget, self._expected_verifying(pace)
        if whole <= most:
            return whole
        return min(most, self._writing(pace) + one_run(pace) + SAMPLE_SHARE * self.budget)

    def _writing(self, pace: Pace) -> float:
        """Return the expected seconds for the reports' executions, and for the tests as text."""
        return self.replay_seconds + WRITING_SECONDS * pace.tests

    def _expected_verifying(self, pace: Pace) -> float:
        """Return the expected seconds of verifying, without any limit."""
        proven = min(pace.proven, pace.tests)
        passes = PASSES * (pace.tests - proven) + PROVEN_PASSES * proven
        each = pace.seconds_a_test + PYTEST_SECONDS
        loadings = LOADINGS * (pace.loading + INTERPRETER_SECONDS)
        return (loadings + passes * each) * 2 / min(2, pace.processors)

    def finishing(self, pace: Pace) -> float:
        """Return the seconds that the search leaves to all later phases."""
        verifying = self.verifying(pace)
        return self.inquiring(pace) + self.minimizing(pace) + verifying + self.reporting

    def remaining(self, phase: str, pace: Pace, done: float = 0.0) -> float:
        """Return the expected seconds of `phase` and the later phases; 0 for an unknown phase.

        `done` is the share of `phase` that is over. Verifying slow tests may take longer than the
        search leaves to it, until the latest end.
        """
        seconds = (
            self.inquiring(pace),
            self.minimizing(pace),
            self._expected_verifying(pace),
            self.reporting,
        )
        if phase not in PHASES:
            return 0.0
        present, *later = seconds[list(PHASES).index(phase) :] or (0.0,)
        return (1 - done) * present + sum(later)

    def end_of_search(self, pace: Pace) -> float:
        """Return the moment when the search of a timely run must end, as far as is known now."""
        rest = max(0.0, self.budget - pace.ready)
        earliest = pace.ready + max(SEARCH_FLOOR * rest, LEAST_SEARCH * self.budget)
        if pace.is_helped:
            done = replace(pace, shortened=pace.tests, proven=pace.tests)
            helped = pace.ready + HELPED_FLOOR * rest
            earliest = max(earliest, min(helped, self.budget - self.remaining("inquire", done)))
        return max(earliest, self.budget - self.finishing(pace))

    def end_of_minimizing(self, now: float, pace: Pace) -> float:
        """Return the moment when minimising must end if it begins `now`.

        Verifying needs the time after that.
        """
        after = self.verifying(pace) + self.reporting
        usual = max(self.budget - after, now + self.minimizing(pace))
        least = now + MINIMIZE_FLOOR * self.budget
        return max(least, min(usual, self.latest - after))

    def most_tests(self, now: float, pace: Pace, executions: int = WRITING_EXECUTIONS) -> float:
        """Return the number of tests for which there is time from `now` on.

        Each test is executed a few times, written, and run once.  An application with thousands of
        endpoints has more tests than a short command can write.
        """
        if not self.is_timely:
            return math.inf
        left = self.end_of_verifying - now - self.replay_seconds
        left -= pace.loading + INTERPRETER_SECONDS
        each = executions * pace.execution + WRITING_SECONDS + seconds_of_running(pace)
        return max(FEWEST_TESTS, left // each)

    @property
    def end_of_verifying(self) -> float:
        """Return the moment when the last run of the written tests must end."""
        return self.latest - self.reporting

    def least_of_verifying(self, pace: Pace) -> float:
        """Return the seconds for the shortest useful run of the written tests."""
        return min(2 * pace.loading, LEAST_RUN_SHARE * self.budget) + LEAST_RUN_SECONDS

    def first_run_seconds(self, pace: Pace) -> float:
        """Return the seconds for the first run of the written tests, even when time is over."""
        tests = pace.tests * (pace.seconds_a_test + FIRST_RUN_SECONDS_A_TEST)
        most = FIRST_RUN_MOST * self.budget + FIRST_RUN_MOST_SECONDS
        least = self.least_of_verifying(pace)
        return max(least, min(most, least + FIRST_RUN_GRACE * tests))

    def minimize_grace(self, now: float, pace: Pace) -> float:
        """Return the seconds of one grace, for the cheapest steps after minimising is over.

        Minimising begins `now`.  All graces together leave the time for writing the tests and for
        one run of them.
        """
        if not self.is_timely:
            return math.inf
        end = self.end_of_verifying - self._writing(pace) - one_run(pace)
        late = end - self.end_of_minimizing(now, pace)
        return min(MINIMIZE_GRACE * self.budget, max(LEAST_GRACE_SECONDS, late / LAST_GRACES))

    @property
    def description(self) -> str:
        """Return the line about time for ``--evosearch-plan``."""
        if self.seconds is None:
            return "no clock decides: all tests in all circumstances"
        return (
            f"{self.seconds:.0f}s in all, at most {self.latest:.0f}s: search at least "
            f"{SEARCH_FLOOR:.0%} of what the start leaves, questions {self.inquiry_seconds:.0f}s, "
            f"minimising up to {MINIMIZE_SHARE * self.seconds:.0f}s, "
            f"verifying up to {VERIFY_SHARE * self.seconds:.0f}s, reports {self.reporting:.0f}s"
        )


def last_moment(plan: TimePlan) -> float:
    """Return the moment when the last interpreter of a command ends, even if it is late."""
    if not plan.is_timely:
        return math.inf
    return ALLOWED_SHARE * plan.budget + ALLOWED_SECONDS - plan.reporting


def time_plan(settings: Settings) -> TimePlan:
    """Return the time plan of a command."""
    return TimePlan(settings.budget.seconds)
