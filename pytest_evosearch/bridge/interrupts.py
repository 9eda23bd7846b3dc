"""Ctrl-C: once to stop the search and keep its results, twice to stop at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pytest_evosearch.errors import StopAtOnce


class InterruptFlag:
    """Remembers the first Ctrl-C; raises `StopAtOnce` at the second, or while not armed.

    It is armed once there is something to keep: an application that hangs while it is
    loaded is stopped by the first Ctrl-C.
    """

    def __init__(self) -> None:
        self.armed = False
        self.raised = False

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle SIGINT."""
        if self.raised or not self.armed:
            raise StopAtOnce
        self.raised = True


@contextmanager
def interruptible(flag: InterruptFlag) -> Iterator[InterruptFlag]:
    """Send SIGINT to `flag` while inside; does nothing outside of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    previous = signal.signal(signal.SIGINT, flag.note)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, previous)
