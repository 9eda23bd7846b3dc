"""A pytest plugin for verification runs: the process ends with its tests.

An application may start threads that are no daemons (a scheduler, an updater). Python waits for
them at its end, possibly for ever, so a run with only passed tests would seem to hang. A thread of
ours waits until the main thread has nothing left to do. By then, all final data (coverage, the log)
are written. A moment later, it ends the process.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

GRACE_SECONDS = 1.0
"""Seconds for threads that end by themselves, and for `atexit` functions."""

# The application may replace these functions, and `time-machine` moves the clock.
_sleep, _exit = time.sleep, os._exit


def pytest_sessionfinish(exitstatus: int) -> None:
    """Begin to wait for the end of the main thread."""
    end = partial(end_after_main_thread, lambda: int(exitstatus), end_of_main_thread())
    threading.Thread(target=end, name="evosearch-ending", daemon=True).start()


def end_of_main_thread() -> Callable[[], object]:
    """Return a function that waits until the main thread has begun to wait for other threads.

    The main thread first waits for the threads of `concurrent.futures`, which register for this
    with a private function.
    """
    register = getattr(threading, "_register_atexit", None)
    if register is None:
        return threading.main_thread().join
    ended = threading.Event()
    register(ended.set)  # functions are called in reverse order of registration
    return ended.wait


def end_after_main_thread(
    status: Callable[[], int], wait: Callable[[], object], grace: float = GRACE_SECONDS
) -> None:
    """End the process with `status` when only threads of the application remain."""
    wait()
    _sleep(grace)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _exit(status())
