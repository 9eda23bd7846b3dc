"""Runs several processes at once, as many as there are processors."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pytest_evosearch.core.isolation import os

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Microseconds of each period that a container's processes may use; ``max`` without a limit."""

MOST = 4
"""Most interpreters at once: each contains the whole application, and may use one database."""

SILENT_SECONDS = 5.0
"""Seconds after which a call says that runs are going on; then as often."""

Result = TypeVar("Result")


def processors() -> int:
    """Return how many processes can run at once without waiting for one another."""
    return max(1, min(_present(), _granted(), MOST))


def _present() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _granted() -> int:
    """Return the number of processors that a container may use, rounded up."""
    with suppress(OSError, ValueError):
        quota, period = QUOTA.read_text(encoding="utf-8").split()
        return math.ceil(int(quota) / int(period))
    return MOST


def run_at_once(
    tasks: Sequence[Callable[[], Result]],
    width: int,
    end_all: Callable[[], None],
    waiting: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Return the results of `tasks` in order; `width` of them run at once.

    Each task waits for a process of its own, so threads are enough. An interruption (Ctrl-C, a time
    limit) drops tasks that have not begun, and calls `end_all` to end the others. Meanwhile
    `waiting` is called from time to time: runs may take minutes.
    """
    if width == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(width) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            ended, going_on = wait(futures, SILENT_SECONDS, FIRST_EXCEPTION)
            while going_on and not any(future.exception() for future in ended):
                waiting()
                ended, going_on = wait(futures, SILENT_SECONDS, FIRST_EXCEPTION)
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            end_all()
            raise
