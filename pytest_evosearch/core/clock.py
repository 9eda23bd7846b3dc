"""Clocks are passed as arguments, so that a test can set the time and an application cannot."""

from __future__ import annotations

from typing import Protocol

from pytest_evosearch.core.isolation import time


class Clock(Protocol):
    """Any function that returns a monotonic time in seconds."""

    def __call__(self) -> float:
        """Return seconds since an arbitrary start."""
        ...


def monotonic() -> float:
    """Return the machine's monotonic time, whatever the application patched."""
    return time.monotonic()
