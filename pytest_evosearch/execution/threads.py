"""Keeps the application's threads from blocking the end of the process, and notes them.

A thread that is no daemon is waited for when an interpreter ends, possibly forever. During a search
every thread is started as a daemon; a written test that leaves an endless thread behind would hang
the user's own run at its end, so `lingering` returns them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.core.isolation import time
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.started_work import STARTED_BY
from pytest_evosearch.execution.started_work import STARTED_IN
from pytest_evosearch.execution.started_work import StartedWork
from pytest_evosearch.execution.started_work import ThreadEffects
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.background_failures import THREAD
from pytest_evosearch.sut.watching.background_failures import BackgroundFailures
from pytest_evosearch.write.plugins.survival import ends_with_interpreter

MOST_THREADS = 64
"""Most threads at once; calls cannot start more.

A running thread cannot be ended, and the stacks of a hundred approach the memory limit of a call
(`execution.memory`).
"""

ENDING_SECONDS = 0.1
"""Seconds for some threads to end: a handler may start a hundred short ones."""

ONE_TOO_MANY = f"start a thread beside {MOST_THREADS} others"

GRACE_SECONDS = 0.5
"""Seconds for threads to finish something: to send a mail, to write a file."""


class ThreadWatch:
    """Turns threads into daemons, and remembers which were none."""

    def __init__(self, current: CurrentCall) -> None:
        self._current = current
        self._lasting: list[threading.Thread] = []
        self.refusals: dict[str, int] = {}
        """Threads that calls were not allowed to start -> how many times."""
        self.failures = BackgroundFailures(self._origin, self._is_of_earlier_test)
        self.work = StartedWork(self.failures)
        self.effects = ThreadEffects(self.work)

    def _origin(self) -> str:
        """Return the endpoint whose call started the present thread."""
        thread = threading.current_thread()
        if thread is threading.main_thread():
            return self._current.endpoint
        return call_that_started(thread) or ""

    def _is_of_earlier_test(self) -> bool:
        """Say whether an earlier test started the present thread: its state is gone."""
        started_in = vars(threading.current_thread()).get(STARTED_IN)
        return started_in is not None and started_in != self.work.test

    def _test_of_present_thread(self) -> int:
        """Return the test that the present thread belongs to."""
        found: int = vars(threading.current_thread()).get(STARTED_IN, self.work.test)
        return found

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch every thread that is started inside the block.

        An exception in a thread is noted; otherwise pytest would show it when the session ends.
        """
        original, lasting, watch = threading.Thread.start, self._lasting, self

        def start(self: threading.Thread) -> None:
            vars(self).setdefault(STARTED_BY, watch._origin())
            if vars(self)[STARTED_BY]:
                watch._permit()
                vars(self).setdefault(STARTED_IN, watch._test_of_present_thread())
                watch.work.note(self)
            if not self.daemon:
                self.daemon = True
                lasting.append(self)
            original(self)

        with Patches() as patches:
            patches.setattr(threading.Thread, "start", start)
            patches.setattr(threading, "excepthook", self._note_crash)
            yield

    def _permit(self) -> None:
        """Refuse a thread beyond the limit with the system's own error."""
        if self._current.is_running and _are_too_many():
            self.refusals[ONE_TOO_MANY] = self.refusals.get(ONE_TOO_MANY, 0) + 1
            raise RuntimeError("can't start new thread")

    def _note_crash(self, arguments: Any) -> None:
        thread = arguments.thread
        started_by = call_that_started(thread) if thread is not None else None
        self.failures.note(arguments.exc_value, THREAD, started_by or "")

    def begin(self) -> None:
        """Forget the threads so far."""
        self._lasting.clear()

    def lingering(self) -> list[threading.Thread]:
        """Return the threads since `begin` that still run after the grace period."""
        return still_running(self._lasting)


def _are_too_many() -> bool:
    """Say whether too many threads run, and do not end soon."""
    end = time.monotonic() + ENDING_SECONDS
    while threading.active_count() > MOST_THREADS:
        if time.monotonic() > end:
            return True
        time.sleep(0.001)
    return False


def still_running(threads: Iterable[threading.Thread]) -> list[threading.Thread]:
    """Return those of `threads` that still run after one grace period for all."""
    started = [thread for thread in threads if thread.ident is not None]
    end = time.monotonic() + GRACE_SECONDS
    for thread in started:
        thread.join(max(0.0, end - time.monotonic()))
    return [one for one in started if one.is_alive() and not ends_with_interpreter(one)]


def names_of(threads: Iterable[threading.Thread]) -> list[str]:
    """Name threads; a class of the project says more than a number."""
    return [
        one.name if type(one) is threading.Thread else type(one).__qualname__ for one in threads
    ]


def call_that_started(thread: threading.Thread) -> str | None:
    """Return the endpoint whose call has started `thread`; None for a thread of our own."""
    found: str | None = vars(thread).get(STARTED_BY)
    return found
