"""A pytest plugin for verification runs: survives tests that end their process, or block its end.

A test may do so itself, or start a thread that does while another one runs; the run would be cut
off, and nothing would be known of any test.  So the process goes on, and the log says of the test
to blame that it failed.  The search keeps no test that it has seen doing this
(`sut.sandbox.process_ends`);
what is caught here happens later than a search lasts, or with its process.

A non-daemon thread that a test leaves running would keep the user's own run from ending. An example
is a thread that compresses a response while it is read, and waits for ever for a test that does not
read it. Threads of fixtures are left alone. An `atexit` function of a test that never ends has this
effect, too.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_LOG   file to which one JSON object per line is appended
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import thread as workers
from typing import Any

_TEST = "_evosearch_test"
"""Attribute of a thread: the test that was running when it was started."""

_CALLED = "_evosearch_called"
"""Attribute of a thread: whether the test itself started it, not a fixture."""

GRACE_SECONDS = 0.5
"""Seconds for threads to finish something."""

LATE_SECONDS = 0.8
"""Seconds after the main thread has nothing left to do; `ending` ends the process later."""

# The application may replace these functions.
_sleep, _monotonic = time.sleep, time.monotonic
_open, _write, _close, _getpid = os.open, os.write, os.close, os.getpid


class Survival:
    """Replacements for functions that end a process; they note the test that called them."""

    def __init__(self, log: str) -> None:
        self._log = log
        self._process = _getpid()
        self._test = ""
        """The node id of the running test; empty between two."""
        self._calling = False
        """Whether the test itself is running: its fixtures are set up."""
        self._partings: list[_Parting] = []
        """Functions that tests have registered for the end of the interpreter."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note the running test, and its process: modules may run in forks."""
        self._test, self._process = nodeid, _getpid()

    def pytest_runtest_call(self) -> None:
        """Note that the fixtures of the test are set up."""
        self._calling = True

    def pytest_runtest_teardown(self) -> None:
        """Note that the test itself has run."""
        self._calling = False

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that no test is running, and whether the last one left a thread behind."""
        self._test = ""
        if any(_is_left(thread, nodeid) for thread in threading.enumerate()):
            self._blame(nodeid, "it leaves a thread running that keeps pytest from ending")

    def pytest_sessionfinish(self) -> None:
        """Watch the `atexit` functions of tests until the end."""
        register = getattr(threading, "_register_atexit", None)
        if self._partings and register is not None:
            begun = threading.Event()
            register(begun.set)  # functions are called in reverse order of registration
            threading.Thread(target=self._see_partings, args=(begun,), daemon=True).start()

    def _see_partings(self, begun: threading.Event) -> None:
        begun.wait()
        _sleep(LATE_SECONDS)
        for parting in self._partings:
            if _monotonic() - parting.since > GRACE_SECONDS:
                self._blame(parting.test, "it registers an exit function that never ends")

    def install(self) -> None:
        """Install the replacements for the rest of the process."""
        for name in ("_exit", "abort", "execv", "execve"):
            self._replace(os, name, lambda *_given: True, ends=True)
        self._replace(os, "kill", self._hits_us)
        self._replace(os, "killpg", lambda group, number: self._hits_us(-group, number))
        self._replace(signal, "raise_signal", lambda number: self._hits_us(_getpid(), number))
        self._watch_threads()
        self._watch_partings(atexit, "register")
        self._watch_partings(threading, "_register_atexit")

    def _watch_partings(self, module: Any, name: str) -> None:
        real: Any = getattr(module, name, None)

        def register(function: Any, *arguments: Any, **keywords: Any) -> Any:
            test = self._to_blame() if self._calling else ""
            if not test or not callable(function):
                return real(function, *arguments, **keywords)
            self._partings.append(_Parting(function, test))
            real(self._partings[-1], *arguments, **keywords)
            return function

        if real is not None:
            setattr(module, name, register)

    def _replace(
        self, module: Any, name: str, hits_us: Callable[..., bool], ends: bool = False
    ) -> None:
        """Replace a function that either sends a signal or `ends` the process at once."""
        real = getattr(module, name, None)
        if real is None:
            return

        def called(*given: Any) -> Any:
            test = self._to_blame()
            if not test or not hits_us(*given):
                return real(*given)
            self._blame(test, "it ends the process")
            if ends:
                raise SystemExit(1)
            return None

        setattr(module, name, called)

    def _watch_threads(self) -> None:
        original, to_blame, state = threading.Thread.start, self._to_blame, self

        def start(self: threading.Thread) -> None:
            vars(self)[_TEST] = to_blame()
            vars(self)[_CALLED] = state._calling
            original(self)

        threading.Thread.start = start  # type: ignore[method-assign]

    def _to_blame(self) -> str:
        """Return the test that started the calling thread, otherwise the running one."""
        if _getpid() != self._process:
            return ""  # a process that the application has forked
        started_by: str = vars(threading.current_thread()).get(_TEST, "")
        return started_by or self._test

    def _hits_us(self, process: int, number: int) -> bool:
        """Say whether a signal to a process or a group would end this one."""
        if process not in (_getpid(), 0, -1, -os.getpgrp()):
            return False
        handler = signal.getsignal(number) if number else signal.SIG_IGN
        return handler in (signal.SIG_DFL, signal.default_int_handler)

    def _blame(self, test: str, reason: str) -> None:
        entry = {"report": test, "outcome": "failed", "reason": reason}
        descriptor = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        _write(descriptor, json.dumps(entry).encode() + b"\n")
        _close(descriptor)


class _Parting:
    """A function that a test has registered for the end; it equals the function itself."""

    def __init__(self, function: Callable[..., object], test: str) -> None:
        self._function = function
        self.test = test
        self.since = float("inf")
        """When it was called; infinite while it is not running."""

    def __call__(self, *arguments: Any, **keywords: Any) -> object:
        self.since = _monotonic()
        try:
            return self._function(*arguments, **keywords)
        finally:
            self.since = float("inf")

    def __eq__(self, other: object) -> bool:
        return self._function == other  # for `atexit.unregister`

    __hash__ = None  # type: ignore[assignment]


def _is_left(thread: threading.Thread, test: str) -> bool:
    """Say whether `test` itself started a running thread that Python would wait for."""
    if thread.daemon or vars(thread).get(_TEST) != test or not vars(thread)[_CALLED]:
        return False
    thread.join(GRACE_SECONDS)
    return thread.is_alive() and not ends_with_interpreter(thread)


def ends_with_interpreter(thread: threading.Thread) -> bool:
    """Say whether Python itself ends a non-daemon thread: one of a pool without work."""
    return waits_for_work(thread) or _manages_processes_without_work(thread)


def _manages_processes_without_work(thread: Any) -> bool:
    """Say whether a thread belongs to a `ProcessPoolExecutor` with idle processes.

    Tests share a pool of the application, and the first test starts it.
    """
    manages = type(thread).__name__ == "_ExecutorManagerThread"
    return manages and not getattr(thread, "pending_work_items", True)


def waits_for_work(thread: threading.Thread) -> bool:
    """Say whether a thread is an idle worker of `concurrent.futures`: Python ends these.

    A coroutine view that raises leaves one until garbage is collected.
    """
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is None:
        return False
    return (frame.f_code.co_filename, frame.f_code.co_name) == (workers.__file__, "_worker")


def pytest_configure(config: Any) -> None:
    """Survive the tests of a run with a log."""
    log = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if log:
        survival = Survival(log)
        survival.install()
        config.pluginmanager.register(survival, "evosearch-survival")
