"""The threads that calls of a test have started: waited for, held up, and brought to an end.

What a thread does while the next call runs is chance.  So a test waits a moment for it after each
call; when the test is repeated, threads are held up instead, and what differs then depends on
them: it is not asserted.  A timer that a test has set does not reach into later tests: its function
runs at the end of the test.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.watching.background_failures import BackgroundFailures

SETTLE_SECONDS = 0.25
"""For what threads have to do; what takes longer is waited for once."""

HOLD_SECONDS = 0.1
"""For which a thread is held up: a handler that waits for it gets its answer then."""

STARTED_BY = "_evosearch_started_by"
"""Attribute of a thread: the endpoint that was being called when it was started."""

_POOL_WORKER = "concurrent.futures.thread"


class StartedWork:
    """Knows what the present test has started."""

    def __init__(self, failures: BackgroundFailures) -> None:
        self._failures = failures
        self._threads: list[threading.Thread] = []
        self._timers: list[threading.Timer] = []
        self._lasting: set[object] = set()
        """What threads do that were still running after the wait."""
        self._gate: threading.Event | None = None
        self.threads = 0
        """Threads that the present test has started, those of pools included."""

    def begin(self) -> None:
        """Forget what earlier tests have started."""
        self._threads.clear()
        self._timers.clear()
        self.threads = 0

    def note(self, thread: threading.Thread) -> None:
        """Note that a call starts `thread`."""
        self.threads += 1
        if isinstance(thread, threading.Timer):
            self._timers.append(thread)
        elif not _is_pool_worker(thread):
            self._threads.append(thread)
            self._hold(thread)

    def _hold(self, thread: threading.Thread) -> None:
        gate, run = self._gate, thread.run
        if gate is None:
            return

        def later() -> None:
            gate.wait(HOLD_SECONDS)
            run()

        thread.run = later  # type: ignore[method-assign]

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """Hold up the threads that calls start inside the block."""
        gate = self._gate = threading.Event()
        try:
            yield
        finally:
            self._gate = None
            gate.set()

    def settle(self) -> None:
        """Wait a moment for what has been started, unless it is held up or never ends."""
        if self._gate is not None:
            return
        end = time.monotonic() + SETTLE_SECONDS
        for thread in self._threads:
            kind = _kind_of(thread)
            if kind not in self._lasting:
                thread.join(max(0.0, end - time.monotonic()))
                if thread.is_alive():
                    self._lasting.add(kind)
        self._threads = [one for one in self._threads if one.is_alive()]
        if pending := self._failures.pending():
            wait(pending, timeout=max(0.0, end - time.monotonic()))

    def finish(self) -> None:
        """Run the functions of timers that were set, and judge what has failed unseen."""
        timers, self._timers = self._timers, []
        for timer in timers:
            if not timer.finished.is_set():
                timer.cancel()
                runner: Any = threading.Thread(
                    target=timer.function, args=timer.args, kwargs=timer.kwargs, daemon=True
                )
                vars(runner)[STARTED_BY] = vars(timer).get(STARTED_BY, "")
                runner.start()
        self.settle()
        self._failures.finish()


def _is_pool_worker(thread: threading.Thread) -> bool:
    target = getattr(thread, "_target", None)
    return getattr(target, "__module__", "") == _POOL_WORKER


def _kind_of(thread: threading.Thread) -> object:
    """Return what a thread runs: threads of one kind last alike."""
    target = getattr(thread, "_target", None)
    function = getattr(target, "__func__", target) or type(thread).run
    return getattr(function, "__code__", type(thread))
