"""Plugins of others that are installed, and that pytest does not load here."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
import flask

app = flask.Flask(__name__)


@app.get("/")
def index():
    return {"page": 1}
"""


@pytest.mark.parametrize("way", ["settings", "command line"])
def test_verifying_runs_lack_what_the_session_lacks(pytester: pytest.Pytester, way: str) -> None:
    pytest.importorskip("xdist")
    pytest.importorskip("pytest_randomly")
    without = ["-p", "no:randomly", "-p", "no:xdist"]
    pytester.makepyfile(app=APPLICATION)
    if way == "settings":
        pytester.makeini(f"[pytest]\naddopts = {' '.join(without)}\n")
    given = without if way == "command line" else []
    result = pytester.runpytest_subprocess("--evosearch=10x", "--evosearch-seed=1", *given)
    result.stdout.fnmatch_lines(["files: 1 test in 1 file"])
    result.stdout.no_fnmatch_line("*exit code*")
    result.stdout.no_fnmatch_line("*not verified*")
