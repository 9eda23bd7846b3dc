"""A start that takes long says where it is, and ends with the time of the command."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge import starting
from pytest_evosearch.bridge.command_line.command_start import BEGAN
from pytest_evosearch.bridge.starting import Starting
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.errors import StartTookTooLong

HERE = Path(__file__).parent


def config_that_began(seconds_ago: float, verbosity: int = 0) -> Any:
    return SimpleNamespace(
        rootpath=HERE,
        stash={BEGAN: monotonic() - seconds_ago},
        known_args_namespace=SimpleNamespace(verbose=verbosity),
    )


@pytest.fixture
def begun(monkeypatch):
    """Return a function that begins a start, whose lines are written into a pipe."""
    monkeypatch.setattr(starting, "project_root", lambda config: config.rootpath)
    monkeypatch.setattr(starting, "LOOK_SECONDS", 0.01)
    reading, writing = os.pipe()
    ended: list[Starting] = []

    def begin(seconds_ago: float, verbosity: int = 0) -> tuple[Starting, int]:
        # Not before: pytest's capture sets its own stream at the beginning of the call.
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(fileno=lambda: writing))
        ended.append(Starting(config_that_began(seconds_ago, verbosity)))
        ended[0].begin()
        return ended[0], reading

    yield begin
    for one in ended:
        one.end()
    os.close(reading)
    os.close(writing)


def test_after_some_seconds_the_place_is_told(begun) -> None:
    _started, told = begun(starting.SILENT_SECONDS + 60)
    line = os.read(told, 300).decode()
    place = "test_bridge_starting.py:"
    assert line.startswith(f"evosearch: the start takes 65 s so far: it is at {place}")


def test_the_start_ends_with_the_budget(begun) -> None:
    started, _told = begun(100)
    with pytest.raises(StartTookTooLong) as late, started.limited(budget=10):
        time.sleep(60)
    assert "it is at test_bridge_starting.py:" in str(late.value)


def test_a_main_thread_that_does_not_listen_ends_with_the_process(begun, monkeypatch) -> None:
    ends: list[int] = []

    def end(code: int) -> None:
        ends.append(code)
        started.end()

    monkeypatch.setattr(starting.os, "_exit", end)
    started, told = begun(3)
    monkeypatch.setattr(started, "_began", monotonic() - 100)
    monkeypatch.setattr(started, "_latest", 20.0)
    assert "longer than the whole budget" in os.read(told, 3000).decode()
    started.thread.join(5)
    assert ends == [starting.USAGE_ERROR]


def test_a_budget_of_evaluations_has_no_end(begun) -> None:
    started, _told = begun(10_000)
    with started.limited(budget=None):
        time.sleep(0.05)


def test_time_that_other_programs_take_does_not_count(begun, monkeypatch) -> None:
    free_from = 0.0

    def waited() -> float:
        return 50.0 if monotonic() < free_from else 0.0

    monkeypatch.setattr(starting, "seconds_without_processor", waited)
    monkeypatch.setattr("pytest_evosearch.sut.alarm.REPEAT_SECONDS", 0.05)
    started, _told = begun(100)
    began = monotonic()
    free_from = began + starting.LEAST_SECONDS + 0.2
    with pytest.raises(StartTookTooLong), started.limited(budget=10):
        time.sleep(60)
    assert monotonic() - began > starting.LEAST_SECONDS + 0.1


def test_a_busy_machine_does_not_excuse_everything(begun, monkeypatch) -> None:
    waited = iter((0.0,))
    monkeypatch.setattr(starting, "seconds_without_processor", lambda: next(waited, 1e6))
    started, _told = begun(100)
    monkeypatch.setattr(started, "_latest", 20.0)
    assert started._is_over()
    monkeypatch.setattr(started, "_latest", 30.0)
    assert not started._is_over()
