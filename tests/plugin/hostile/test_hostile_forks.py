"""Searches of applications whose handlers start processes."""

from __future__ import annotations

FORKS = """
import os
import time


@app.get("/spawn")
def spawn():
    if os.fork() == 0:
        time.sleep(5)
        os._exit(0)
    return "started"


@app.get("/halves")
def halves():
    return "child" if os.fork() == 0 else "parent"
"""


def test_a_child_of_a_handler_is_no_second_search(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + FORKS}, evaluations=60)
    run.is_well()
    assert run.writes("/ok", "/sized")
    assert "/spawn" not in run.written
    assert "/halves" not in run.written
    assert run_in_namespace.again(run).passes()
