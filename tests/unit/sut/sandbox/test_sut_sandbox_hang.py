"""Calls that do not come back from C are seen from outside, slow ones and busy machines are not."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time

import pytest

from pytest_evosearch.sut.sandbox import hang
from pytest_evosearch.sut.sandbox.hang import Deadline
from pytest_evosearch.sut.sandbox.hang import HangWatch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")


@pytest.fixture
def page():
    with mmap.mmap(-1, mmap.PAGESIZE) as made:
        yield made


@pytest.fixture
def process():
    running = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    yield running.pid
    running.kill()
    running.wait()


@pytest.fixture
def states(monkeypatch):
    """What the system says of the process at each look: its state and its seconds."""
    told = {"state": "R", "busy": 0.0, "now": 100.0}
    monkeypatch.setattr(hang, "_state_of", lambda _process: (told["state"], told["busy"]))
    monkeypatch.setattr(hang.time, "monotonic", lambda: told["now"])
    told["sent"] = []
    monkeypatch.setattr(hang.os, "kill", lambda *given: told["sent"].append(given))
    return told


def looks(watch: HangWatch, states, seconds: float, state: str, busy: float = 0.0) -> None:
    """Look ten times a second; the process gets `busy` of each second."""
    states["state"] = state
    for _ in range(round(seconds * 10)):
        states["now"] += 0.1
        states["busy"] += busy / 10
        watch.look()


@pytest.mark.parametrize(("state", "busy"), [("R", 1.0), ("S", 0.0), ("D", 0.0)])
def test_a_call_that_works_or_waits_beyond_its_deadline_hangs(page, states, state, busy) -> None:
    watch = HangWatch(7, page)
    Deadline(page).set(7, 105.0)
    looks(watch, states, 4.5, state, busy)
    assert not states["sent"]
    looks(watch, states, 5, state, busy)
    assert states["sent"] == [(7, hang.SIGNAL)]


@pytest.mark.parametrize(("state", "busy"), [("R", 0.0), ("T", 0.0)])
def test_a_process_that_gets_no_time_does_not_hang(page, states, state, busy) -> None:
    watch = HangWatch(7, page)
    Deadline(page).set(7, 101.0)
    looks(watch, states, 60, state, busy)
    assert not states["sent"]


def test_a_call_that_hears_of_alarms_does_not_hang(page, states) -> None:
    watch = HangWatch(7, page)
    for _ in range(60):
        Deadline(page).set(7, states["now"] + 2.0)
        looks(watch, states, 1, "S")
    assert not states["sent"]


def test_a_call_that_came_back_does_not_hang(page, states) -> None:
    watch = HangWatch(7, page)
    Deadline(page).set(7, 101.0)
    looks(watch, states, 2, "S")
    Deadline(page).lift()
    looks(watch, states, 60, "S")
    assert not states["sent"]


def test_calls_of_other_processes_are_left_to_whoever_waits_for_them(page, states) -> None:
    watch = HangWatch(7, page)
    Deadline(page).set(8, 101.0)
    looks(watch, states, 60, "S")
    assert not states["sent"]


def test_the_system_tells_what_a_process_does(process) -> None:
    end = time.monotonic() + 10
    while hang._state_of(process)[0] != "S" and time.monotonic() < end:
        time.sleep(0.01)
    assert hang._state_of(process)[0] == "S"
    assert hang._state_of(os.getpid())[1] > 0
    assert hang._state_of(2**22 + 1) == ("", 0.0)
