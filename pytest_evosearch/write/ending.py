"""A pytest plugin for verification runs: the process ends with its tests.

An application may start threads that are no daemons (a scheduler, an updater).  Python waits for
them when it ends, possibly for ever, and a run whose tests have all passed would be taken for
one that hangs.  A thread of ours waits for the main thread instead, which ends when everything
that is written at the end (coverage's data, the log) is, and ends the process a moment later.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from functools import partial

GRACE_SECONDS = 1.0
"""For threads that end by themselves, and for what is registered with `atexit`."""

# The application may replace them, and `time-machine` moves the clock.
_sleep, _exit = time.sleep, os._exit


def pytest_sessionfinish(exitstatus: int) -> None:
    """Begin to wait for the end of the main thread."""
    end = partial(end_with_main_thread, int(exitstatus))
    threading.Thread(target=end, name="evosearch-ending", daemon=True).start()


def end_with_main_thread(status: int) -> None:
    """Leave the process with `status` when nothing but threads of the application is left."""
    threading.main_thread().join()
    _sleep(GRACE_SECONDS)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _exit(status)
