"""Clocks are passed as arguments, so that a test can set the time and an application cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pytest_evosearch.core.isolation import time

_SCHEDULED = Path("/proc/self/schedstat")
"""Linux: nanoseconds on a processor, nanoseconds of waiting for one, and turns of the thread."""


class Clock(Protocol):
    """Any function that returns a monotonic time in seconds."""

    def __call__(self) -> float:
        """Return seconds since an arbitrary start."""
        ...


def monotonic() -> float:
    """Return the machine's monotonic time, whatever the application patched."""
    return time.monotonic()


def seconds_without_processor(scheduled: Path = _SCHEDULED) -> float:
    """Return how long the main thread could run so far, and other programs had the processors.

    It is 0 where the system does not say.
    """
    try:
        return int(scheduled.read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
