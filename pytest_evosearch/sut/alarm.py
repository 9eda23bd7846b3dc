"""Ends work in the main thread that takes too long.

It uses the alarm of the system, which interrupts work that sleeps or computes in Python. Outside
the main thread, and on Windows, there is no alarm, and the work goes on.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.core.clock import monotonic

REPEAT_SECONDS = 1.0
"""Seconds between two alarms, for work that swallows the first."""

SHORTEST_SECONDS = 0.01
"""Least seconds until the alarm of an outer block: none would never come."""

_setitimer: Any = getattr(sys.modules.get("_signal", signal), "setitimer", None)
"""The real function; its replacement refuses alarms to the application."""


@contextmanager
def cut_off_after(seconds: float, late: Callable[[], BaseException | None]) -> Iterator[None]:
    """Raise what `late` returns when the block takes longer than `seconds`.

    Where it returns None, the block goes on, and it is asked again a moment later.
    """
    if _setitimer is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_arguments: object) -> None:
        if error := late():
            raise error

    began = monotonic()
    previous = signal.signal(signal.SIGALRM, end)
    outer, _interval = _setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)
    try:
        yield
    finally:
        _setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous or signal.SIG_DFL)
        if outer:  # of a block around this one
            left = max(outer - (monotonic() - began), SHORTEST_SECONDS)
            _setitimer(signal.ITIMER_REAL, left, REPEAT_SECONDS)
