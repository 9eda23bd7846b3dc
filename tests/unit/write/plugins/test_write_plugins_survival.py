from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

TESTS = """
import os, signal, subprocess, sys, threading

ENDED = threading.Event()

def end_later():
    ENDED.wait(20)
    os.kill(os.getpid(), signal.SIGTERM)

def test_exit():
    os._exit(3)

def test_starts_a_thread():
    global THREAD
    THREAD = threading.Thread(target=end_later)
    THREAD.start()

def test_meets_it():
    ENDED.set()
    THREAD.join()

def test_program():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        process.terminate()
        assert process.wait() == -signal.SIGTERM

def test_handled():
    received = []
    signal.signal(signal.SIGUSR1, lambda number, _frame: received.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    assert received == [signal.SIGUSR1]

def test_fork():
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_tests_that_end_the_process_are_told_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)

    entries, _code, output = run_with_plugins(
        PytestProcess(tmp_path, ("-p", "no:randomly")), [tmp_path], 60, environment={}
    )

    failed = {str(entry["report"]) for entry in entries if entry.get("outcome") == "failed"}
    assert failed == {"test_it.py::test_exit", "test_it.py::test_starts_a_thread"}
    assert "5 passed" in output


STREAMED = """
import atexit
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import ThreadPoolExecutor

import pytest

READ = threading.Event()

def compress():
    READ.wait()

@pytest.fixture
def server():
    thread = threading.Thread(target=compress)
    thread.start()
    yield

def test_with_a_server(server):
    pass

def test_that_reads_nothing():
    threading.Thread(target=compress).start()

def test_that_has_a_daemon():
    threading.Thread(target=compress, daemon=True).start()

def test_that_registers_what_ends():
    atexit.register(print)

def test_that_registers_what_does_not_end_and_takes_it_back():
    wait = threading.Event().wait
    atexit.register(wait)
    atexit.unregister(wait)

def test_that_registers_what_does_not_end():
    atexit.register(threading.Event().wait)

def test_whose_worker_waits_for_work_that_ends_with_the_process():
    global IDLE
    IDLE = ThreadPoolExecutor()
    IDLE.submit(int).result()

def test_whose_processes_wait_for_work_that_end_with_the_process():
    global PROCESSES
    PROCESSES = ProcessPoolExecutor(1)
    PROCESSES.submit(int).result()

def test_whose_worker_has_work_without_an_end():
    global BUSY
    BUSY = ThreadPoolExecutor()
    BUSY.submit(READ.wait)

def test_that_reads():
    READ.set()
    threading.Thread(target=compress).start()
"""


def test_what_tests_leave_that_keeps_pytest_from_ending_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(STREAMED)

    entries, _code, _output = run_with_plugins(
        PytestProcess(tmp_path, ("-p", "no:randomly")), [tmp_path], 60, environment={}
    )

    failed = {
        str(entry["report"]): entry["reason"]
        for entry in entries
        if entry.get("outcome") == "failed"
    }
    reason = "it leaves a thread running that keeps pytest from ending"
    assert failed == {
        "test_it.py::test_that_reads_nothing": reason,
        "test_it.py::test_whose_worker_has_work_without_an_end": reason,
        "test_it.py::test_that_registers_what_does_not_end": (
            "it registers an exit function that never ends"
        ),
    }
