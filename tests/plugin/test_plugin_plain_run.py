"""What the plugins of verification change is not there when the user runs the tests."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

HEALTH = """
import sys

from flask import Flask, jsonify

app = Flask(__name__)


@app.get("/health")
def health():
    ours = ("evosearch_", "pytest_evosearch")
    if any(name.startswith(ours) for name in sys.modules):
        return jsonify(health="good")
    return jsonify(health="bad"), 503


@app.get("/greeting")
def greeting():
    return jsonify(greeting="hello")
"""


def test_tests_that_need_our_plugins_are_dropped_and_the_summary_says_why(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(health=HEALTH)
    project.pytester.syspathinsert()
    given = ["--evosearch=20x", "--evosearch-seed=1", "--evosearch-app=health:app"]

    result = project.run(*given, forks=False)

    assert result.ret == 0, result.stdout.str()
    result.stdout.fnmatch_lines(["*because fails in a run with nothing but pytest: *"])
    plain = project.pytester.runpytest_subprocess("-p", "no:evosearch", "-q")
    plain.assert_outcomes(passed=1)
