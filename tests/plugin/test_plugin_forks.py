"""A search of an application whose state nothing can bring back but a fork."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork"),
]

TICKETS = """
import ctypes
from collections import deque

from flask import Flask, abort, jsonify, request

app = Flask(__name__)


def count():
    number = 0
    while True:
        number += 1
        yield number


NUMBERS = count()
QUEUE = iter(deque(range(100_000)))
ARRIVALS = iter(deque(["first"]))


@app.get("/next")
def following():
    return jsonify(number=next(NUMBERS))


@app.post("/tickets")
def create():
    title = request.form.get("title", "")
    if not title:
        abort(400)
    return jsonify(id=next(QUEUE), title=title), 201


@app.get("/hurry")
def hurry():
    if next(ARRIVALS, None) is None:
        return "late"
    return "early"


@app.get("/leave/<int:code>")
def leave(code):
    ctypes.CDLL(None)._exit(code)  # no stand-in sees it
"""


@pytest.fixture
def tickets(project):
    """A project with that application, and the real engine to search it."""
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(tickets=TICKETS)
    project.pytester.syspathinsert()
    return project


def search(tickets, *arguments: str) -> str:
    given = ["--evosearch=60x", "--evosearch-seed=1", "--evosearch-app=tickets:app"]
    result = tickets.run(*given, *arguments, subprocess=True)
    assert result.ret == 0
    return "\n".join([*result.outlines, *result.errlines])


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def test_search_escalates_to_forks_and_writes_tests_that_hold_byte_for_byte(tickets) -> None:
    output = search(tickets)
    assert re.search(
        r"^evosearch: state    fork \(GET /hurry answers another text\), each test in a",
        output,
        re.MULTILINE,
    )
    assert "did not come back" not in output
    assert "the call ended the process of the server (exit code " in output
    assert "because a call ends the process" in output
    folder = tickets.path / "evosearch"
    first = written(folder)
    tests = "\n".join(first.values())
    assert 'client.post("/tickets"' in tests
    assert '"late"' in tests
    assert "/leave" not in tests
    shutil.rmtree(folder)
    search(tickets)
    assert written(folder) == first
    passed = tests.count("\ndef test_")
    tickets.pytester.runpytest_subprocess("evosearch").assert_outcomes(passed=passed)


def test_discovery_block_shows_forks_that_were_asked_for(tickets) -> None:
    output = search(tickets, "--evosearch-plan", "--evosearch-set=state.fork=always")
    assert "state    fork (state.fork=always), each test in a process of its own, over" in output


def test_wish_that_does_not_exist_is_refused(tickets) -> None:
    result = tickets.run("--evosearch=1x", "--evosearch-set=state.fork=maybe")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*'state.fork' takes one of auto, always, never, not 'maybe'*"])
