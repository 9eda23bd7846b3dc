"""Runs several processes at once, as many as there are processors."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pytest_evosearch.core.isolation import os

MOST = 4
"""Interpreters at once: each holds the whole application, and may talk to the same database."""

Result = TypeVar("Result")


def processors() -> int:
    """Return how many processes can run at once without waiting for one another."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST)
    return min(os.cpu_count() or 1, MOST)


def run_at_once(
    tasks: Sequence[Callable[[], Result]], width: int, end_all: Callable[[], None]
) -> list[Result]:
    """Return what `tasks` return, in their order; `width` of them run at the same time.

    Each waits for a process of its own, so threads are enough.  Whatever interrupts the waiting
    (Ctrl-C, a time limit) drops the tasks that have not begun and has `end_all` end the others.
    """
    if width == 1 or len(tasks) == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(width) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            end_all()
            raise
