"""Ctrl-C: once to stop the search and keep its results, twice to stop at once.

What ends a run politely (``timeout 10m pytest ...``, a CI job that is cancelled, a terminal that is
closed) counts as Ctrl-C.

What follows the first one: the search ends after the test that runs.  Then the phases of
`engine.whole_run` run as always (minimising takes `settings.time_plan.HASTY_HARVEST_SECONDS` at
most), then the reports.  The second one keeps the suite of before.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
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
        """Handle one of `ENDS`."""
        if self.raised or not self.armed:
            raise StopAtOnce
        self.raised = True


@contextmanager
def interruptible(flag: InterruptFlag) -> Iterator[InterruptFlag]:
    """Send Ctrl-C and its like to `flag` while inside; does nothing outside of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    with ExitStack() as stack:
        for number in _taken_over():
            # None is a handler that was not set by Python, which cannot be put back.
            stack.callback(signal.signal, number, signal.getsignal(number) or signal.SIG_DFL)
            signal.signal(number, flag.note)
        yield flag


def _taken_over() -> list[int]:
    """Return the signals to handle: a terminal that may be closed (``nohup``) stays so."""
    # Ctrl-C, and its likes; not every platform has all of them.
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    ignored = [one for one in numbers if signal.getsignal(one) is signal.SIG_IGN]
    return [one for one in numbers if one == signal.SIGINT or one not in ignored]
