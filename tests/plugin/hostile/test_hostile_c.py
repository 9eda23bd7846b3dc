"""Searches of applications whose handlers do not come back from C, where no time limit reaches."""

from __future__ import annotations

import pytest

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
    assert run.tells(f"{call} did not come back from C"), run.output
    assert run_in_namespace.again(run).passes()
