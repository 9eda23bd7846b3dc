"""Collects the application's garbage at known moments instead of whenever it happens.

Every `abort()` leaves a cycle behind: Flask keeps the exception as the response, the exception
keeps its traceback, the traceback keeps the view's frame with all its locals. An unfinished cursor
among them locks the SQLite file until the collector runs. Whether the next test finds the database
locked would depend on how much memory was allocated. Here the automatic collector is off; the young
generation is collected after every call that was refused, and before every test.

A handler that collects garbage itself (to have files closed, to give memory back) gets a collection
of the young generation. That generation holds all objects since its test began. A full collection
of a process with probes and archive takes about 200 ms.
"""

from __future__ import annotations

import gc as everybodys_gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_evosearch.core.isolation import gc

MIDDLE_GENERATION_EVERY = 2000
"""Tests between two collections of all that has outlived the young generation since the last one.

One takes about a millisecond. The heap from before the search is not searched for it.
"""

FIRST_FULL_COLLECTION = 8000
"""Tests before the first full collection; each later one comes after twice as many.

One takes hundreds of milliseconds on a large heap, and rarely finds anything.
"""


class GarbageCollector:
    """Decides when memory is collected during a search."""

    def __init__(self) -> None:
        self._tests = 0
        self._next_full = FIRST_FULL_COLLECTION

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Switch the automatic collector off inside the block.

        Objects that the application forgot to close are ignored: with warnings as errors, each
        collected connection would otherwise be an error of the session.
        """
        was_enabled, hook = gc.isenabled(), sys.unraisablehook
        collect = everybodys_gc.collect
        gc.disable()
        sys.unraisablehook = _ignore
        everybodys_gc.collect = _collect_young
        try:
            yield
        finally:
            everybodys_gc.collect = collect
            gc.collect(2 if self._tests else 1)  # without a test nothing has grown old here
            sys.unraisablehook = hook
            if was_enabled:
                gc.enable()

    def begin(self) -> None:
        """Collect what the start has left, so that the first test need not."""
        gc.collect()
        self._tests = 1

    def before_test(self) -> None:
        """Collect what the last test left, or what the start left before the first test."""
        if self._tests % MIDDLE_GENERATION_EVERY:
            gc.collect(0)
        elif self._tests in (0, self._next_full):
            self._next_full = max(FIRST_FULL_COLLECTION, 2 * self._tests)
            gc.collect()
        else:
            gc.collect(1)
        self._tests += 1

    def after_refusal(self) -> None:
        """Collect what a refused or crashed call has left."""
        gc.collect(0)


def _collect_young(generation: int = 2) -> int:
    """Collect the young generation, in place of ``gc.collect``."""
    return gc.collect(min(generation, 0))


def _ignore(_unraisable: object) -> None:
    """Ignore an exception that cannot be raised."""
