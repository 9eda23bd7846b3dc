"""Pieces of the process that a handler changes come back after its call."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import timeit
import warnings
from collections.abc import Callable
from collections.abc import Iterator

import pytest

from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.process_state import ProcessState
from pytest_evosearch.sut.sandbox.shared_resources import installed_resources

resource = pytest.importorskip("resource")


@pytest.fixture
def process() -> Iterator[ProtectedProcess]:
    with installed_resources() as resources:
        process = ProtectedProcess(resources)
        yield process
        process.release()


def read_umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


TOLD: dict[str, tuple[Callable[[], object], Callable[[], object], str]] = {
    "umask": (lambda: os.umask(0o777), read_umask, "changes the umask"),
    "trace": (
        lambda: sys.settrace(lambda *_: None),
        sys.gettrace,
        "installs a trace or profile function",
    ),
    "profile": (
        lambda: sys.setprofile(lambda *_: None),
        sys.getprofile,
        "installs a trace or profile function",
    ),
    "trace of threads": (
        lambda: threading.settrace(lambda *_: None),
        threading.gettrace,
        "installs a trace or profile function",
    ),
    "hook": (
        lambda: setattr(sys, "excepthook", print),
        lambda: sys.excepthook,
        "replaces a hook for uncaught exceptions",
    ),
    "hook of threads": (
        lambda: setattr(threading, "excepthook", None),
        lambda: threading.excepthook,
        "replaces a hook for uncaught exceptions",
    ),
    "limit of files": (
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        lambda: resource.getrlimit(resource.RLIMIT_FSIZE),
        "changes the limits of the process",
    ),
    "limit of descriptors": (
        lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)),
        lambda: resource.getrlimit(resource.RLIMIT_NOFILE),
        "changes the limits of the process",
    ),
    "limit of processor time": (
        lambda: resource.setrlimit(resource.RLIMIT_CPU, (0, 1)),
        lambda: resource.getrlimit(resource.RLIMIT_CPU),
        "changes the limits of the process",
    ),
    "temporary folder": (
        lambda: setattr(tempfile, "tempdir", "/nowhere"),
        lambda: tempfile.tempdir,
        "changes the temporary folder",
    ),
    "blocked signals": (
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}),
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "takes over a signal",
    ),
    "timer": (
        lambda: signal.setitimer(signal.ITIMER_VIRTUAL, 1000),
        lambda: signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0,
        "takes over a signal",
    ),
}

SILENT: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "collector": (gc.disable if gc.isenabled() else gc.enable, gc.isenabled),
    "recursion": (lambda: sys.setrecursionlimit(5000), sys.getrecursionlimit),
    "time limit of sockets": (lambda: socket.setdefaulttimeout(3.5), socket.getdefaulttimeout),
    "logging": (lambda: logging.disable(logging.FATAL), lambda: logging.root.manager.disable),
    "filters": (lambda: warnings.simplefilter("ignore"), lambda: list(warnings.filters)),
    "locale": (
        lambda: locale.setlocale(locale.LC_ALL, "C"),
        lambda: locale.setlocale(locale.LC_ALL),
    ),
    "precision": (
        lambda: setattr(decimal.DefaultContext, "prec", 3),
        lambda: decimal.DefaultContext.prec,
    ),
    "another signal": (
        lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN),
        lambda: signal.getsignal(signal.SIGUSR2),
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_other_tests_would_meet_comes_back_and_is_told(
    process: ProtectedProcess, name: str
) -> None:
    change, read, phrase = TOLD[name]
    before = read()
    with process.protected():
        with process.call:
            change()
        assert read() == before
    assert list(process.disturbances) == [phrase]


@pytest.mark.parametrize("name", SILENT)
def test_what_other_tests_hardly_notice_comes_back_silently(
    process: ProtectedProcess, name: str
) -> None:
    change, read = SILENT[name]
    before = read()
    with process.protected(), process.call:
        change()
    assert read() == before
    assert not process.disturbances


def test_a_value_that_refuses_comparison_comes_back(process: ProtectedProcess) -> None:
    class Rude:
        def __eq__(self, other: object) -> bool:
            raise TypeError

        __hash__ = None  # type: ignore[assignment]

    before = tempfile.tempdir
    with process.protected(), process.call:
        tempfile.tempdir = Rude()  # type: ignore[assignment]
    assert tempfile.tempdir is before


def test_an_environment_that_is_cleared_is_there_for_the_next_call(
    process: ProtectedProcess,
) -> None:
    before = set(os.environ)
    with process.protected():
        with process.call:
            os.environ.clear()
        assert set(os.environ) == before
    assert list(process.disturbances) == ["removes variables from the environment"]


def test_what_holds_under_another_clock_is_put_back_there(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    with process.protected():
        monkeypatch.setenv("EVOSEARCH_EXAMPLE", "moved")
        with process.taken_as_it_is():
            with process.call:
                os.environ.clear()
            assert os.environ["EVOSEARCH_EXAMPLE"] == "moved"
    assert "EVOSEARCH_EXAMPLE" not in os.environ


def test_looking_costs_little() -> None:
    state = ProcessState()
    runs = timeit.repeat(state.restore, "import gc; gc.enable()", number=200, repeat=20)
    assert min(runs) / 200 < 100e-6  # 7 microseconds on a machine with nothing else to do
