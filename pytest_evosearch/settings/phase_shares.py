"""Shares, floors and numbers that one phase each looks up itself; `time_plan` divides the rest."""

from __future__ import annotations

UNITS_SHARE = 0.2
"""Share of the budget for functions that HTTP does not reach, if these are wanted."""

START_SHARE = 0.2
"""Share of the search for what the project's own tests send; large suites are cut there."""

OPENING_SHARE = 0.5
"""Share of the search for visits of every endpoint, before the algorithm decides.

An algorithm that samples at random needs much longer to call each endpoint with all its parameters.
"""

SURVEY_SHARE = 0.8
"""Share of the search for visits as long as some endpoints have not been visited."""

LISTENING_SHARE = 0.08
"""Share of a budget of seconds for running the project's own tests to see what they send."""

LOOKING_SHARE = 0.05
"""Share of the search's time for checking whether state comes back; the last check gets it again.

Where an application is slow, each fork is slow as well.
"""

SLOW_START_SECONDS = 10.0
SLOW_START_SHARE = 0.2
"""Seconds and share of the budget that an application may need to be ready without a notice."""

BESIDE_SECONDS = 30.0
"""Shortest budget in seconds for a second process.

With less, the command ends before that process has loaded the application and minimised a test.
"""

SLOWEST_START_SHARE = 1 / 3
"""Largest share of a budget that a start may take, if there is to be a second process.

That process starts as slowly, and takes a processor from the search meanwhile.
"""

BESIDE_SHARE = 0.25
"""Share of the search before a second process finishes tests; most easy tests are found by then."""

# The questions after the search.

EVALUATIONS_A_QUESTION = 4
"""Evaluations of the search for one question, at least, with a budget of evaluations."""

MALFORMED_SHARE = 0.45
"""Largest share of the questions for malformed calls, which come first and are many."""

ATTACKS_SHARE = 0.2
"""Largest share of the questions for attacks.

Their findings weigh most.  Where calls are slow, there is time for few; the promising ones come
first.
"""

DISTURBED_SHARE = 0.2
"""Largest share of the questions for tests whose preparation is disturbed."""

HASTY_HARVEST_SECONDS = 10.0
"""Seconds for minimising after Ctrl-C: the user is waiting."""

WRITTEN_SHARE = 0.9
"""Expected number of written tests for each test of the archive with a target worth a test."""

LEAST_TESTS = 3
"""Tests that are finished however late a command is: a few tests beat none."""

FIRST_RUN_SHARE = 0.5
"""Largest share of the verification time for the first run; without that run no test is kept."""

READY_EXECUTIONS = 2
"""Executions of a test that was executed as it would be written.

One leaves out what hardly any test needs, and one shows what is stable.
"""

MEASURING_RUNS = 1.6
"""How many times as long as the first run a run takes that measures coverage."""

SLOW_SET_UP_SECONDS = 0.3
"""Seconds from which on the fixtures of one test are set up once for many tests."""

START_UP_SECONDS = 120.0
"""Seconds for one run in addition to its tests: importing a large application takes a while."""

SECONDS_PER_TEST = 5.0
"""Seconds for each test of a run, on average."""

HANGING_SECONDS = 10.0
"""Seconds after the end of a timely run after which a running test counts as hanging."""

OWN_SUITE_SECONDS = 40.0
"""Seconds for the run with the project's own suite; a longer run is ended.

It shares the processors with the other runs, which take about as long.
"""

MEASURING_SECONDS = 600.0
"""Longest measured run, in seconds."""
