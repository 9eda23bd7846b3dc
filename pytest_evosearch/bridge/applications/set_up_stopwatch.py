"""Measures what setting up the fixtures of one test takes, as later tests will need it."""

from __future__ import annotations

import sys

from pytest_evosearch.core.clock import monotonic

MOST_MODULES = 5
"""Modules that may be imported meanwhile; with more, most of the time is theirs, which is spent
once and not for each test."""

USUAL_SECONDS = 0.2
"""What a set-up is taken for, at most, where imports hide how long it takes."""


class SetUpStopwatch:
    """Measures from the moment at which it is made."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._modules = len(sys.modules)

    @property
    def seconds(self) -> float:
        """Return the seconds of a set-up that imports nothing, as far as can be told."""
        seconds = monotonic() - self._began
        imported = len(sys.modules) - self._modules
        return seconds if imported <= MOST_MODULES else min(seconds, USUAL_SECONDS)
