"""Clocks are handed down, so that a test can turn the hands and an application cannot."""

from __future__ import annotations

from typing import Protocol

from pytest_evosearch.core.isolation import time


class Clock(Protocol):
    """Anything that tells a monotonic time in seconds."""

    def __call__(self) -> float:
        """Return seconds since an arbitrary start."""
        ...


def monotonic() -> float:
    """Tell the machine's monotonic time, whatever the application patched."""
    return time.monotonic()
