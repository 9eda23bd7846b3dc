"""A pytest plugin for verification runs: the process ends with its tests.

An application may start threads that are no daemons (a scheduler, an updater).  Python waits for
them when it ends, possibly for ever, and a run whose tests have all passed would be taken for
one that hangs.  A thread of ours waits until the main thread has nothing left to do, which is when
everything that is written at the end (coverage's data, the log) is, and ends the process a moment
later.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

GRACE_SECONDS = 1.0
"""For threads that end by themselves, and for what is registered with `atexit`."""

# The application may replace them, and `time-machine` moves the clock.
_sleep, _exit = time.sleep, os._exit


def pytest_sessionfinish(exitstatus: int) -> None:
    """Begin to wait for the end of the main thread."""
    end = partial(end_after_main_thread, lambda: int(exitstatus), end_of_main_thread())
    threading.Thread(target=end, name="evosearch-ending", daemon=True).start()


def end_of_main_thread() -> Callable[[], object]:
    """Return what waits until the main thread has begun to wait for the others.

    It waits for the threads of `concurrent.futures` before it counts as ended: these register,
    by a function that is no public one, to be asked to end first.
    """
    register = getattr(threading, "_register_atexit", None)
    if register is None:
        return threading.main_thread().join
    ended = threading.Event()
    register(ended.set)  # the last that registers is called first
    return ended.wait


def end_after_main_thread(
    status: Callable[[], int], wait: Callable[[], object], grace: float = GRACE_SECONDS
) -> None:
    """Leave the process with `status` when nothing but threads of the application is left."""
    wait()
    _sleep(grace)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _exit(status())
