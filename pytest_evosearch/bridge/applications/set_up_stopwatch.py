"""Measures how long setting up the fixtures of one test takes, as later tests will need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_evosearch.core.clock import monotonic

MOST_MODULES = 5
"""Largest number of modules that a measured set-up may import.

With more, imports take most of its time, which later tests do not need.
"""

USUAL_SECONDS = 0.2
"""Assumed seconds of a set-up, at most, where imports hide how long it takes."""


class SetUpStopwatch:
    """Adds up the seconds of fixture functions, as a plugin of pytest.

    Choosing the fixtures takes several times as long; no later test does that.
    """

    def __init__(self) -> None:
        self._modules = len(sys.modules)
        self._taken = 0.0
        self._is_running = False

    @property
    def seconds(self) -> float:
        """Return the seconds of a set-up without imports, as well as that is known."""
        imported = len(sys.modules) - self._modules
        return self._taken if imported <= MOST_MODULES else min(self._taken, USUAL_SECONDS)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self) -> Iterator[None]:
        """Measure one fixture, including the fixtures that it requests while it runs."""
        if self._is_running:
            yield
            return
        self._is_running = True
        began = monotonic()
        yield
        self._taken += monotonic() - began
        self._is_running = False


@contextmanager
def timed_set_up(config: pytest.Config) -> Iterator[SetUpStopwatch]:
    """Yield a stopwatch that measures the fixtures which are set up inside."""
    stopwatch = SetUpStopwatch()
    config.pluginmanager.register(stopwatch)
    try:
        yield stopwatch
    finally:
        config.pluginmanager.unregister(stopwatch)
