"""Measures what setting up the fixtures of one test takes, as later tests will need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_evosearch.core.clock import monotonic

MOST_MODULES = 5
"""Modules that may be imported meanwhile; with more, most of the time is theirs, which is spent
once and not for each test."""

USUAL_SECONDS = 0.2
"""What a set-up is taken for, at most, where imports hide how long it takes."""


class SetUpStopwatch:
    """Adds up what the functions of fixtures take, as a plugin of pytest.

    Choosing the fixtures takes several times as long, and no later test does it.
    """

    def __init__(self) -> None:
        self._modules = len(sys.modules)
        self._taken = 0.0
        self._is_running = False

    @property
    def seconds(self) -> float:
        """Return the seconds of a set-up that imports nothing, as far as can be told."""
        imported = len(sys.modules) - self._modules
        return self._taken if imported <= MOST_MODULES else min(self._taken, USUAL_SECONDS)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self) -> Iterator[None]:
        """Measure one fixture, with those that it asks for while it runs."""
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
    """Yield what measures the fixtures that are set up inside."""
    stopwatch = SetUpStopwatch()
    config.pluginmanager.register(stopwatch)
    try:
        yield stopwatch
    finally:
        config.pluginmanager.unregister(stopwatch)
