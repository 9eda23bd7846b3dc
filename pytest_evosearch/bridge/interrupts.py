"""Ctrl-C: once to stop the search and keep its results, twice to stop at once.

Polite ends of a run (``timeout 10m pytest ...``, a cancelled CI job, a closed terminal) count as
Ctrl-C.
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
    """Remembers the first Ctrl-C; raises `StopAtOnce` at the second, or while it is not armed.

    It is armed as soon as there are results to keep.  So the first Ctrl-C stops an application that
    hangs while it is loaded.
    """

    def __init__(self) -> None:
        self.armed = False
        self.raised = False

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle one of the signals in `ENDS`."""
        if self.raised or not self.armed:
            raise StopAtOnce
        self.raised = True


@contextmanager
def interruptible(flag: InterruptFlag) -> Iterator[InterruptFlag]:
    """Send Ctrl-C and similar signals to `flag` while inside; only the main thread can do this."""
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    with ExitStack() as stack:
        for number in _taken_over():
            # None means that code outside of Python set the handler, which cannot be put back.
            stack.callback(signal.signal, number, signal.getsignal(number) or signal.SIG_DFL)
            signal.signal(number, flag.note)
        yield flag


def _taken_over() -> list[int]:
    """Return the signals to handle, except those that ``nohup`` makes pytest ignore."""
    # Ctrl-C and similar signals; not every platform has all of them.
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    ignored = [one for one in numbers if signal.getsignal(one) is signal.SIG_IGN]
    return [one for one in numbers if one == signal.SIGINT or one not in ignored]
