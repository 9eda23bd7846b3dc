"""What is asked of an application before the search neither hangs nor hides what it covers."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

GUARDED = """
from time import sleep
from flask import Flask, jsonify, request

app = Flask(__name__)
USERS = {"ann": "secret"}


@app.get("/asleep")
def asleep():
    sleep(3600)
    return "never"


@app.get("/leaving")
def leaving():
    raise KeyboardInterrupt


@app.get("/greeting")
def greeting():
    greeting = "hello"
    return jsonify(greeting=greeting)


@app.get("/mine")
def mine():
    given = request.authorization
    if given is None or USERS.get(given.username) != given.password:
        return "who are you?", 401, {"WWW-Authenticate": "Basic"}
    return jsonify(name=given.username)
"""


def test_pages_asked_for_a_challenge_are_still_searched(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(guarded=GUARDED)
    project.pytester.syspathinsert()
    limit = "--evosearch-set=request.timeout=0.25"
    result = project.run(
        "--evosearch=40x",
        "--evosearch-seed=1",
        "--evosearch-app=guarded:app",
        "--evosearch-set=plan.circumstances=first",
        limit,
    )
    assert result.ret == 0, result.stdout.str()
    result.stdout.fnmatch_lines(["*let in: ann (HTTP Basic, *"])
    text = "\n".join(
        path.read_text() for path in sorted((project.path / "evosearch").glob("test_*.py"))
    )
    assert '{"greeting": "hello"}' in text
    assert '{"name": "ann"}' in text
