"""The time from the first hook until the application is there: waits are short, told and limited.

A thread says where the main thread is, as soon as that takes long.  The main thread may wait in C
code, or for a lock.  When the time of the whole command is over, the start ends: by an exception,
and where that does not arrive, by the end of the process.  Time in which other programs have the
processors does not count: nothing hangs then.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress

import pytest

from pytest_evosearch.bridge.command_line.command_start import BEGAN
from pytest_evosearch.bridge.command_line.project_root import project_root
from pytest_evosearch.bridge.imports.starting_waits import StartingWaits
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.clock import seconds_without_processor
from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import StartTookTooLong
from pytest_evosearch.settings.time_plan import LATEST_SECONDS
from pytest_evosearch.settings.time_plan import LATEST_SHARE
from pytest_evosearch.sut.alarm import cut_off_after

SILENT_SECONDS = 5.0
"""Seconds after which a line says what the start waits for; then as often."""

LOOK_SECONDS = 1.0
"""Seconds between two looks at the main thread."""

LEAST_SECONDS = 1.0
"""Seconds that loading may take in any case."""

BUSY_SHARE = 4.0
"""How many times as long a start may take on a machine that is busy with other programs."""

GRACE_SECONDS = 5.0
"""Seconds for the main thread to end the start, before the process ends."""

USAGE_ERROR = 4


class Starting:
    """Watches the start of one command; `end` stops it."""

    def __init__(self, config: pytest.Config) -> None:
        self.waits = StartingWaits(project_root(config))
        self._latest = math.inf
        """Seconds that the start may take, counted from the first hook."""
        self._began = config.stash[BEGAN]
        self._waited_before = seconds_without_processor()
        self._stack = ExitStack()
        self._over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True, name="evosearch-starting")
        self._terminal: int | None = None
        if getattr(config.known_args_namespace, "verbose", -1) >= 0:
            with suppress(OSError, AttributeError, ValueError):
                self._terminal = os.dup(sys.stdout.fileno())

    def begin(self) -> None:
        """Shorten waits, and start the thread."""
        self._stack.enter_context(self.waits.installed())
        self.thread.start()

    @contextmanager
    def limited(self, budget: float | None) -> Iterator[None]:
        """Raise `StartTookTooLong` inside when the command, with a budget of seconds, must end."""
        if budget is None:
            yield
            return
        taken = monotonic() - self._began
        left = max(LATEST_SHARE * budget + LATEST_SECONDS - taken, LEAST_SECONDS)
        self._latest = taken + left
        try:
            with cut_off_after(left, self._too_late):
                yield
        finally:
            self._latest = math.inf

    def end(self) -> None:
        """Let waits take as long as they do, and stop the thread; later calls do nothing."""
        self._over.set()
        self._stack.close()

    def _watch(self) -> None:
        told_at = self._began
        while not self._over.wait(LOOK_SECONDS):
            now = monotonic()
            if self._is_over(GRACE_SECONDS):
                self._tell(self._late())
                os._exit(USAGE_ERROR)
            if now - told_at > SILENT_SECONDS and (place := self.waits.place()):
                told_at = now
                self._tell(f"the start takes {now - self._began:.0f} s so far{self._cause(place)}")
        if self._terminal is not None:
            os.close(self._terminal)

    def _too_late(self) -> StartTookTooLong | None:
        return StartTookTooLong(self._late()) if self._is_over() else None

    def _is_over(self, grace: float = 0.0) -> bool:
        """Say whether the start has had its time, and some seconds of grace."""
        waited = seconds_without_processor() - self._waited_before
        allowed = min(self._latest + waited, BUSY_SHARE * self._latest)
        return monotonic() - self._began >= allowed + grace

    def _cause(self, place: str) -> str:
        service = f" (missed: {self.waits.service})" if self.waits.service else ""
        return f": it is at {place}{service}" if place else service

    def _late(self) -> str:
        return (
            f"the start takes longer than the whole budget{self._cause(self.waits.place())}; "
            "give more time, or let the tests replace what it waits for"
        )

    def _tell(self, line: str) -> None:
        if self._terminal is not None:
            with suppress(OSError):
                os.write(self._terminal, f"evosearch: {line}\n".encode())


STARTING: pytest.StashKey[Starting] = pytest.StashKey()


def starting_of(config: pytest.Config) -> Starting:
    """Return what watches the start of this command."""
    return config.stash[STARTING]


def start_watching(config: pytest.Config) -> Starting:
    """Shorten and tell waits from here on, and return what ends this."""
    config.stash[STARTING] = starting = Starting(config)
    starting.begin()
    return starting
