"""Waits of a start are short, are told, and come back afterwards."""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from servers import unused_address

from pytest_evosearch.bridge.imports import starting_waits
from pytest_evosearch.bridge.imports.starting_waits import StartingWaits

HERE = Path(__file__).parent


@pytest.fixture
def slept(monkeypatch) -> list[float]:
    """Let `time.sleep` only note for how long; forget what the process waits for."""
    asked: list[float] = []
    monkeypatch.setattr(time, "sleep", asked.append)
    return asked


def refused() -> None:
    host, _, port = unused_address().removeprefix("http://").partition(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


def test_sleeps_take_a_few_seconds_altogether(slept: list[float]) -> None:
    waits = StartingWaits(HERE)
    with waits.installed():
        for seconds in (3, 4, 60):
            time.sleep(seconds)
    assert slept == [3, 2, starting_waits.LONGEST_NAP]
    assert waits.passed == pytest.approx(2 + 60, abs=0.1)
    assert "it would wait 62 s at test_bridge_imports_starting_waits.py:" in waits.description


def test_a_missed_service_leaves_less_patience_and_is_named(slept: list[float]) -> None:
    waits = StartingWaits(HERE)
    with waits.installed():
        refused()
        time.sleep(30)
    assert slept == [starting_waits.MOST_SLEEP_WITHOUT_SERVICE]
    assert "(connection refused)" in waits.service
    assert f"28 s for {waits.service}" in waits.description
    assert f"waits for {waits.service} would take 28 s" in waits.source


def test_little_is_not_told(slept: list[float]) -> None:
    waits = StartingWaits(HERE)
    with waits.installed():
        time.sleep(starting_waits.MOST_SLEEP + 0.5)
    assert slept
    assert waits.description == ""


def test_other_threads_wait_as_they_like(slept: list[float]) -> None:
    with StartingWaits(HERE).installed():
        thread = threading.Thread(target=time.sleep, args=(600,))
        thread.start()
        thread.join()
    assert slept == [600]


def test_what_imported_it_by_name_gets_the_real_one_back(slept: list[float], monkeypatch) -> None:
    module: Any = ModuleType("depot_of_sleeps")
    module.__file__ = str(HERE / "depot_of_sleeps.py")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    real = time.sleep
    waits = StartingWaits(HERE)
    with waits.installed():
        exec("from time import sleep", vars(module))
        assert module.sleep is not real
        assert '("time.sleep", "depot_of_sleeps.sleep")' in waits.source
    assert (module.sleep, time.sleep) == (real, real)


def test_a_connection_without_an_end_is_cut_off_and_not_tried_again(monkeypatch) -> None:
    monkeypatch.setattr(starting_waits, "LONGEST_CONNECT", 0.05)
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        taken = [socket.socket() for _ in range(4)]  # until the queue of the system is full
        for one in taken:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        waits = StartingWaits(HERE)
        with waits.installed():
            for connection in (first, second):
                connection.settimeout(60)
                with pytest.raises(TimeoutError):
                    connection.connect(full.getsockname())
                assert connection.gettimeout() == 60
        assert "(no answer)" in waits.service
        for one in taken:
            one.close()
