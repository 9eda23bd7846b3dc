"""Limits of a run, tried in interpreters of their own that start few processes."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_evosearch.sut.sandbox.ceiling import EXCESSES
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.child_processes import is_running
from pytest_evosearch.sut.sandbox.warden import TOO_LARGE
from pytest_evosearch.sut.sandbox.warden import TOO_MANY
from pytest_evosearch.sut.sandbox.warden import Warden
from pytest_evosearch.sut.sandbox.warden import available_memory
from pytest_evosearch.sut.sandbox.warden import catches_alarm
from pytest_evosearch.sut.sandbox.warden import memory_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")

REPOSITORY = Path(__file__).parents[4]

EXCEEDING = """
import os, signal, time
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.child_processes import is_running
from pytest_evosearch.sut.sandbox.child_processes import descendants_of, end_descendants

class GivenUp(BaseException):
    pass

def give_up(*_given):
    raise GivenUp

signal.signal(signal.SIGALRM, give_up)
ceiling = Ceiling({most}, {share})
with ceiling.enforced():
    ceiling.begin()
    try:
        for _ in range({number}):
            if os.fork() == 0:
                kept = bytearray({size})
                time.sleep(30)
                os._exit(0)
            time.sleep(0.1)  # an alarm within `fork` would be handled when it has made a child
        time.sleep(10)
    except GivenUp:
        print("given up:", ceiling.excess)
    ceiling.end()
    end = time.monotonic() + 5
    while descendants_of(os.getpid(), [ceiling.process]) and time.monotonic() < end:
        time.sleep(0.01)
    print(descendants_of(os.getpid(), [ceiling.process]))
"""


def output_of(**limits: float) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", EXCEEDING.format(**limits)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return finished.stdout + finished.stderr


def test_too_many_processes_are_ended_and_the_call_is_given_up() -> None:
    said = output_of(most=3, share=0, number=5, size=0)
    assert said == f"given up: {EXCESSES[TOO_MANY]}\n[]\n"


def test_processes_that_take_too_much_memory_are_ended() -> None:
    share = 100_000_000 / available_memory()
    said = output_of(most=10, share=share, number=1, size=300_000_000)
    assert said == f"given up: {EXCESSES[TOO_LARGE]}\n[]\n"


def test_what_was_started_ends_with_a_run_that_is_killed() -> None:
    script = """
import os, time
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.child_processes import is_running
with Ceiling(64, 0).enforced():
    child = os.fork()
    if child == 0:
        time.sleep(120)
    time.sleep(0.5)
    print(child, flush=True)
    os.kill(os.getpid(), 9)
"""
    command = [sys.executable, "-c", script]
    killed = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=100, check=False
    )  # waits until nobody has the pipe any more
    assert killed.returncode == -9
    end = time.monotonic() + 60  # the warden looks every 20 ms
    while is_running(int(killed.stdout)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(int(killed.stdout))


def test_without_a_limit_there_is_no_warden() -> None:
    ceiling = Ceiling(0, 0.5)
    with ceiling.enforced():
        assert ceiling.process == 0
        ceiling.begin()
        ceiling.end()
    assert not ceiling.excess


def test_a_warden_leaves_little_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with mmap.mmap(-1, mmap.PAGESIZE) as page:
            warden = Warden(os.getpid(), page, 1000, 0.0)
            for _ in range(20):
                warden.look()
        assert process.poll() is None
        process.kill()


def test_processes_are_measured() -> None:
    assert memory_of([os.getpid()], float("inf")) > 1_000_000
    assert 0 < memory_of([os.getpid()], 0.0) < available_memory()


def test_a_process_that_catches_alarms_is_known() -> None:
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    try:
        assert not catches_alarm(os.getpid())
        signal.signal(signal.SIGALRM, lambda _number, _frame: None)
        assert catches_alarm(os.getpid())
    finally:
        signal.signal(signal.SIGALRM, before)
