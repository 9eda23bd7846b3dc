"""What a command has no time to write is the beginning of the next command."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
import flask

app = flask.Flask(__name__)


def answer(number):
    return lambda: {"page": number}


for number in range(6):
    app.add_url_rule(f"/page{number}", f"page{number}", answer(number))
"""

LITTLE_TIME = """
from pytest_evosearch.settings.time_plan import TimePlan

TimePlan.most_tests = lambda *_arguments: 2
"""


def test_tests_without_time_are_taken_up_by_the_next_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(app=APPLICATION)
    pytester.makeconftest(LITTLE_TIME)
    short = pytester.runpytest_subprocess("--evosearch=3s", "--evosearch-seed=1")
    short.stdout.fnmatch_lines(["notice: 4 tests had no time: the next run begins with them"])
    pytester.makeconftest("")
    repeatable = pytester.runpytest_subprocess("--evosearch=3x", "--evosearch-seed=1")
    repeatable.stdout.no_fnmatch_line("*going on from*")
    second = pytester.runpytest_subprocess("--evosearch=3s", "--evosearch-seed=1")
    second.stdout.fnmatch_lines(
        ["evosearch: going on from 4 tests for which an earlier run had no time"]
    )
    second.stdout.no_fnmatch_line("*tests had no time*")
