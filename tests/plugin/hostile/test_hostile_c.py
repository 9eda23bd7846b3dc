"""Searches of applications whose handlers crash in C, or do not come back from there."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

COUNTING = """
import itertools


@app.get("/counts")
def counts():
    return str(-1 in itertools.count())  # holds the lock of the interpreter
"""

ASKING = """
import sqlite3


@app.get("/asks/<int:number>")
def asks(number):
    if number <= 10:
        return "few"
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c"
    connection = sqlite3.connect(":memory:")
    return str(connection.execute(f"{endless} WHERE x < 0").fetchall())  # does not hold it
"""


@pytest.mark.parametrize(
    ("handler", "call"), [(COUNTING, "GET /counts"), (ASKING, r"GET /asks/\{number\}")]
)
def test_a_call_that_never_comes_back_from_c_costs_no_test(
    run_in_namespace, harmless, handler: str, call: str
) -> None:
    run = run_in_namespace({"app.py": harmless + handler}, seconds=20)
    run.is_well()
    assert run.writes("/ok", "/sized")
    assert run.tells(f"{call} did not return from C"), run.output
    assert run_in_namespace.again(run).passes()


CRASHING = """
import ctypes


@app.get("/crashes/<int:number>")
def crashes(number):
    if number > 3:
        ctypes.string_at(0)
    return "few"
"""


def test_a_call_that_crashes_in_c_costs_no_test(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + CRASHING}, evaluations=40)
    run.is_well()
    assert run.writes("/ok", "/sized", "/crashes")
    crash = r"GET /crashes/\{number\} \(Segmentation fault at app.py:\d+\) ended the process"
    assert run.tells(crash), run.output
    assert run.tells("SIGSEGV")
    assert run_in_namespace.again(run).passes()
