"""How the time of a command is divided: every share, floor and overtime of every phase.

    timely      a budget of seconds is that of the whole command: what the phases after the search
                will take is predicted while it runs, and it ends early enough for them
    thorough    a budget of seconds is the search's, and what follows takes as long as it needs

A budget of evaluations is always thorough: no clock decides anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_evosearch.settings.pace import Pace

if TYPE_CHECKING:
    from pytest_evosearch.core.budget import Budget
    from pytest_evosearch.settings.checked import Settings

TIMELY = "timely"
THOROUGH = "thorough"

# The whole command, where it is timely.

LATEST_SHARE = 1.2
LATEST_SECONDS = 7.0
"""The command ends after this share of the budget and so many seconds, whatever is left to do."""

ALLOWED_SHARE = 1.25
ALLOWED_SECONDS = 8.0
"""What a command may take in which a phase is late that loses tests: two seconds less than what is
promised, for ending interpreters."""

# The search.

SEARCH_FLOOR = 0.35
"""Of the budget, which the search gets whatever the rest may take."""

HELPED_FLOOR = 0.5
"""That floor while a process beside the search finishes tests, as the rest gets shorter by itself:
where there is time for what it cannot do, which is one more run of all tests."""

SEARCH_SHARE = 0.85
"""Of the budget of a thorough run; the rest is for minimising, checking and writing."""

START_SHARE = 0.2
"""Of the search, for what the project's own tests send; large suites are cut there."""

OPENING_SHARE = 0.5
"""Of the search, for the visits of every endpoint before the algorithm is asked.

An algorithm that samples at random takes much longer until each was called with all that it takes.
"""

SURVEY_SHARE = 0.8
"""Of the search, for visits while there are endpoints that were not visited at all."""

LISTENING_SHARE = 0.05
"""Of a budget of seconds, for running some of the project's own tests to hear what they send."""

LOOKING_SHARE = 0.05
"""Of the time of a search, for looking whether the state comes back, and again for the last
look of all: where an application is slow, so is each fork."""

SLOW_START_SECONDS = 10.0
SLOW_START_SHARE = 0.2
"""What an application may take to be ready, in seconds and of the budget, without a word."""

BESIDE_SECONDS = 30.0
"""Budgets below that end before a second process has verified anything: it loads the application
first, and then minimises."""

BESIDE_SHARE = 0.25
"""Of the search, before a second process begins to finish tests: most of what is easy is found."""

# The questions after the search.

EVALUATIONS_A_QUESTION = 4
"""Evaluations of the search to one question, at least, where the budget is a number of them."""

INQUIRY_SHARE = 0.1
"""Of the search's seconds in a thorough run, of the budget otherwise, for all questions."""

TIMELY_INQUIRY_SHARE = 0.07

USUAL_QUESTIONS = 5
"""Questions to each test that would be written: four on a book shop, fewer without users."""

MALFORMED_SHARE = 0.45
"""Of the questions, at most, for calls that are malformed: they come first, and are many."""

ATTACKS_SHARE = 0.2
"""Of the questions, at most, for attacks: what they find weighs most, but an application whose
calls take a tenth of a second has time for few, so that those with a prospect come first."""

DISTURBED_SHARE = 0.2
"""Of the questions, at most, for tests whose preparation is disturbed; the rest is for all else."""

CONFIRM_SHARE = 0.5
"""Of the budget, for asking once more whether calls end that were cut off early in a short search.
The last of them may take longer."""

# Minimising.

HARVEST_FLOOR_SECONDS = 20.0
"""Minimisation of a thorough run may take this long even after the shortest budget.

With less the longest tests of a slow application stay as they were found.
"""

HARVEST_AS_LONG_AS_SEARCHED = 60.0
"""Seconds up to which it may take as long as the search did, in a thorough run.

Of a slow application the floor is a few executions a test, which leave inputs that no test needs.
"""

SLOW_HARVEST_SECONDS = 60.0
"""Seconds by which minimising may take longer where tests are many and slow, in a thorough run.

Without them many tests are never begun, and verifying what is not minimised takes longest.
"""

HASTY_HARVEST_SECONDS = 10.0
"""For minimising after Ctrl-C: the user is waiting."""

FEWEST_EXECUTIONS = 12
"""Executions that each test should have to itself: with three it keeps what it does not need."""

WRITTEN_SHARE = 0.9
"""Of the tests that hold what is worth a test: 0.7 to 1.4 of them are written (a book shop, a shop,
a server of strings, one of numbers)."""

USUAL_EXECUTIONS = 30
"""Executions that minimising one test and repeating it take on average: 15 on a book shop, 50 on a
shop whose tests have many calls."""

KNOWN_EXECUTIONS = 10
"""Executions of a test whose simplest form is known: it is looked at once and then repeated."""

MINIMIZE_GRACE = 0.1
"""Of the budget of a timely run: when the time for minimising is over, what makes most of tests
simple is still tried for so long.  Then tests are dropped that were not begun."""

MINIMIZE_FLOOR = 0.08
MINIMIZE_SHARE = 0.25
"""Of the budget of a timely run, at least and at most."""

# Verifying, measuring, reports.

VERIFY_SHARE = 0.4
"""Of the budget, at most, which the search of a timely run leaves to verification."""

LOADINGS = 3.0
PASSES = 2.0
"""Interpreters that verification loads one after another, and times that it runs all tests, where
two processors do two of them at once."""

INTERPRETER_SECONDS = 0.4
"""Seconds until an interpreter has loaded pytest, with its plugins."""

PROVEN_PASSES = 1.0
"""Times that it runs tests that were verified before: once as they are, once measured beside that.
"""

FIRST_RUN_SHARE = 0.5
"""Of the time for verification, at most, for the first run, without which no test is kept."""

WRITING_EXECUTIONS = 4
"""Executions that a test takes at least before it is written: once each to know what it covers and
to cut it after its act, the rest to know what is stable."""

WRITING_SECONDS = 0.003
"""Seconds for putting one test into words, and again when it is known how it was verified."""

PYTEST_SECONDS = 0.008
"""Seconds that pytest itself takes for one test of a run."""

FEWEST_TESTS = 10
"""Tests that are written however little time there is."""

LEAST_RUN_SECONDS = 2.0
"""Below that no further run begins."""

LEAST_RUN_SHARE = 0.15
"""Of the budget, at most, for loading the application in a run that takes place in any case."""

START_UP_SECONDS = 120.0
"""Allowed for one run besides its tests: importing a large application takes a while."""

FIRST_RUN_GRACE = 4.0
"""Times that the first run may take what is expected of it: a test that it does not reach is lost,
and on a machine that others use a test takes several times as long as while it was searched."""

FIRST_RUN_SECONDS_A_TEST = 0.05
"""Seconds for what pytest itself does for one test."""

FIRST_RUN_MOST = 0.5
FIRST_RUN_MOST_SECONDS = 20.0
"""Of the budget, and seconds, for the first run at most when time is over."""

SECONDS_PER_TEST = 5.0
"""Allowed for each test of a run, on average."""

HANGING_SECONDS = 10.0
"""A test that goes on for so long after the time of a timely run was over, does not end."""

OWN_SUITE_SECONDS = 40.0
"""Allowed for the run with the project's own suite: a longer one is given up.

It shares the processors with the other runs, which take about as long.
"""

MEASURING_SECONDS = 600.0
"""Limit of one measured run."""

REPORT_SHARE = 0.05
REPORT_SECONDS = 3.0
"""Of the budget, and seconds at most, for everything after verification."""

REPLAY_SECONDS = 5.0
"""What executing tests once more for the reports may take: one that freezes costs its whole
time limit."""

REPLAY_SHARE = 0.03
"""Of the budget of a timely run, for that."""


PHASES = {
    "inquire": "running targeted fault checks",
    "minimize": "minimising the tests",
    "write": "writing and verifying the tests",
    "measure": "measuring what the tests cover",
    "mutate": "running the tests against mutants",
}
"""What follows the search, in this order, as the user reads it."""


@dataclass(frozen=True)
class TimePlan:
    """What each phase of one command may take; moments are seconds since its start."""

    seconds: float | None = None
    """Of the budget; None for a budget of evaluations."""
    finish: str = TIMELY

    @property
    def is_timely(self) -> bool:
        """Say whether the budget is that of the whole command."""
        return self.seconds is not None and self.finish == TIMELY

    @property
    def budget(self) -> float:
        """Return the seconds of the budget, infinite for one of evaluations."""
        return math.inf if self.seconds is None else self.seconds

    @property
    def latest(self) -> float:
        """Return when the command ends, whatever is left to do."""
        return LATEST_SHARE * self.budget + LATEST_SECONDS if self.is_timely else math.inf

    @property
    def reporting(self) -> float:
        """Return what is kept back for everything after verification."""
        return min(REPORT_SHARE * self.budget, REPORT_SECONDS)

    @property
    def inquiry_seconds(self) -> float:
        """Return what all questions may take."""
        return (TIMELY_INQUIRY_SHARE if self.is_timely else INQUIRY_SHARE) * self.budget

    @property
    def confirming_seconds(self) -> float:
        """Return how long it may be asked whether calls end that were cut off early."""
        return CONFIRM_SHARE * self.budget

    @property
    def replay_seconds(self) -> float:
        """Return what executing tests for the reports may take."""
        if not self.is_timely:
            return REPLAY_SECONDS
        return min(REPLAY_SECONDS, REPLAY_SHARE * self.budget)

    def inquiring(self, pace: Pace) -> float:
        """Return what the questions are going to take."""
        return min(self.inquiry_seconds, USUAL_QUESTIONS * pace.tests * pace.execution)

    def minimizing(self, pace: Pace) -> float:
        """Return what minimising is going to take."""
        shortened = min(pace.shortened, pace.tests)
        executions = USUAL_EXECUTIONS * (pace.tests - shortened) + KNOWN_EXECUTIONS * shortened
        expected = executions * pace.execution
        return min(MINIMIZE_SHARE * self.budget, expected)

    def verifying(self, pace: Pace) -> float:
        """Return what the search leaves to verifying, with the measurement beside it."""
        return min(VERIFY_SHARE * self.budget, self._expected_verifying(pace))

    def _expected_verifying(self, pace: Pace) -> float:
        """Return what verifying takes where nothing limits it."""
        proven = min(pace.proven, pace.tests)
        passes = PASSES * (pace.tests - proven) + PROVEN_PASSES * proven
        each = pace.seconds_a_test + PYTEST_SECONDS
        loadings = LOADINGS * (pace.loading + INTERPRETER_SECONDS)
        return (loadings + passes * each) * 2 / min(2, pace.processors)

    def finishing(self, pace: Pace) -> float:
        """Return what the search leaves to everything after it."""
        verifying = self.verifying(pace)
        return self.inquiring(pace) + self.minimizing(pace) + verifying + self.reporting

    def remaining(self, phase: str, pace: Pace) -> float:
        """Return what `phase` and those after it are going to take; 0 for one that is unknown.

        Verifying slow tests takes longer than the search leaves to it: until the latest end.
        """
        seconds = (
            self.inquiring(pace),
            self.minimizing(pace),
            self._expected_verifying(pace),
            self.reporting,
        )
        return sum(seconds[list(PHASES).index(phase) :]) if phase in PHASES else 0.0

    def end_of_search(self, pace: Pace) -> float:
        """Return when the search of a timely run has to end, as far as is known by now."""
        earliest = pace.ready + SEARCH_FLOOR * self.budget
        if pace.is_helped:
            done = replace(pace, shortened=pace.tests, proven=pace.tests)
            helped = pace.ready + HELPED_FLOOR * self.budget
            earliest = max(earliest, min(helped, self.budget - self.remaining("inquire", done)))
        return max(earliest, self.budget - self.finishing(pace))

    def end_of_minimizing(self, now: float, pace: Pace) -> float:
        """Return when minimising has to end that begins `now`, so that tests can be verified."""
        after = self.verifying(pace) + self.reporting
        usual = max(self.budget - after, now + self.minimizing(pace))
        least = now + MINIMIZE_FLOOR * self.budget
        return max(least, min(usual, self.latest - after))

    def most_tests(self, now: float, pace: Pace) -> float:
        """Return how many tests there is time for that are to be made ready from `now` on.

        Each is executed a few times, written, and run once.  An application with thousands of
        endpoints has more of them than a short command can write.
        """
        if not self.is_timely:
            return math.inf
        left = self.end_of_verifying - now - pace.loading
        run = (pace.seconds_a_test + PYTEST_SECONDS) / min(2, pace.processors)
        each = WRITING_EXECUTIONS * pace.execution + WRITING_SECONDS + run
        return max(FEWEST_TESTS, left // each)

    @property
    def end_of_verifying(self) -> float:
        """Return when the last run of the written tests has to end."""
        return self.latest - self.reporting

    def least_of_verifying(self, pace: Pace) -> float:
        """Return what one run of the written tests takes at least."""
        return min(2 * pace.loading, LEAST_RUN_SHARE * self.budget) + LEAST_RUN_SECONDS

    def first_run_seconds(self, pace: Pace) -> float:
        """Return what the first run of the written tests gets even when time is over."""
        tests = pace.tests * (pace.seconds_a_test + FIRST_RUN_SECONDS_A_TEST)
        most = FIRST_RUN_MOST * self.budget + FIRST_RUN_MOST_SECONDS
        least = self.least_of_verifying(pace)
        return max(least, min(most, least + FIRST_RUN_GRACE * tests))

    @property
    def minimize_seconds(self) -> float:
        """Return how long a thorough run may minimise tests, overtime aside."""
        as_long = min(self.budget, HARVEST_AS_LONG_AS_SEARCHED)
        return max(HARVEST_FLOOR_SECONDS, as_long, (1 - SEARCH_SHARE) * self.budget)

    @property
    def minimize_grace(self) -> float:
        """Return how much longer the cheapest steps of minimising are taken."""
        return MINIMIZE_GRACE * self.budget if self.is_timely else math.inf

    @property
    def minimize_overtime(self) -> float:
        """Return how much longer that may take for many tests of a slow application."""
        return 0.0 if self.is_timely else SLOW_HARVEST_SECONDS

    @property
    def description(self) -> str:
        """Return the line of the plan."""
        if self.seconds is None:
            return "no clock decides: all tests in all circumstances"
        if not self.is_timely:
            return (
                f"search {SEARCH_SHARE * self.seconds:.0f}s, minimising up to "
                f"{self.minimize_seconds + self.minimize_overtime:.0f}s, "
                "then all tests in all circumstances"
            )
        return (
            f"{self.seconds:.0f}s in all, at most {self.latest:.0f}s: search at least "
            f"{SEARCH_FLOOR * self.seconds:.0f}s, questions {self.inquiry_seconds:.0f}s, "
            f"minimising up to {MINIMIZE_SHARE * self.seconds:.0f}s, "
            f"verifying up to {VERIFY_SHARE * self.seconds:.0f}s, reports {self.reporting:.0f}s"
        )


def last_moment(plan: TimePlan) -> float:
    """Return when the last interpreter ends that is run for a command, however late it is."""
    if not plan.is_timely:
        return math.inf
    return ALLOWED_SHARE * plan.budget + ALLOWED_SECONDS - plan.reporting


def time_plan(settings: Settings) -> TimePlan:
    """Return the plan of a command."""
    return _plan(settings.budget, str(settings.tunable("plan.finish")))


def _plan(budget: Budget, finish: str) -> TimePlan:
    return TimePlan(budget.seconds, finish if budget.seconds is not None else THOROUGH)
