from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins

WAITING = """
import threading

threading.Thread(target=threading.Event().wait).start()
"""
WAITING_IN_A_POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor

ThreadPoolExecutor(1).submit(threading.Event().wait)
"""
ENDS_SOON = """
import threading
from pathlib import Path


def report():
    threading.Event().wait(0.2)
    Path(__file__).with_name("reported").write_text("in time")


threading.Thread(target=report).start()
"""


@pytest.mark.parametrize("thread", [WAITING, WAITING_IN_A_POOL], ids=["thread", "pool"])
@pytest.mark.parametrize(
    ("test", "code"), [("assert True", 0), ("assert False", 1)], ids=["passing", "failing"]
)
def test_a_run_ends_with_its_tests_though_a_thread_waits_for_ever(
    tmp_path: Path, test: str, code: int, thread: str
) -> None:
    (tmp_path / "test_it.py").write_text(f"{thread}\n\ndef test_it():\n    {test}\n")

    entries, ended_with, output = run_with_plugins(
        PytestProcess(tmp_path), [tmp_path], 30, environment={}
    )

    assert ended_with == code
    assert {"ended": "test_it.py::test_it"} in entries
    assert ("1 passed" in output) == (code == 0)


def test_a_thread_that_only_has_something_to_finish_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(f"{ENDS_SOON}\n\ndef test_it():\n    pass\n")

    _entries, ended_with, _output = run_with_plugins(
        PytestProcess(tmp_path), [tmp_path], 30, environment={}
    )

    assert ended_with == 0
    assert (tmp_path / "reported").read_text() == "in time"
