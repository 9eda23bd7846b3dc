"""Collects the application's garbage at known moments instead of whenever it happens.

Every `abort()` leaves a cycle behind: Flask keeps the exception as the response, the
exception keeps its traceback, the traceback keeps the view's frame with all its locals.
An unfinished cursor among them holds a lock on the SQLite file until the collector comes by,
so the next test would find the database locked, or not, depending on how much memory was
allocated.  Here the automatic collector is off; the young generation is collected after every
call that was refused, and before every test.

A handler that collects garbage itself (to have files closed, to give memory back) gets the young
generation, too: everything since its test began is in it, and a full collection beside the
probes and the archive takes some 200 ms: it was 45 % of a search of MoinMoin.
"""

from __future__ import annotations

import gc as everybodys_gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_evosearch.core.isolation import gc

OLD_GENERATIONS_EVERY = 2000
"""Tests between two full collections: they take tens of milliseconds on a large heap."""


class GarbageCollector:
    """Decides when memory is collected during a search."""

    def __init__(self) -> None:
        self._tests = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Switch the automatic collector off until the end.

        What the application forgot to close is not our concern: under warnings as errors, each
        connection that is collected would otherwise be an error of the session's.
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
        """Collect what is left of the start, so that the first test needs not do it."""
        gc.collect()
        self._tests = 1

    def before_test(self) -> None:
        """Collect what the last test left behind; before the first, what is left of the start."""
        gc.collect(0 if self._tests % OLD_GENERATIONS_EVERY else 2)
        self._tests += 1

    def after_refusal(self) -> None:
        """Collect what a refused or crashed call left behind."""
        gc.collect(0)


def _collect_young(generation: int = 2) -> int:
    """Collect what is young, in place of ``gc.collect``."""
    return gc.collect(min(generation, 0))


def _ignore(_unraisable: object) -> None:
    """Take note of nothing."""
