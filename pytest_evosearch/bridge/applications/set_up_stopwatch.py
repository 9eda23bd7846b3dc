"""Measures how long setting up the fixtures of one test takes, as later tests will need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass

MOST_MODULES = 5
"""Largest number of modules that a measured set-up may import.

With more, imports take most of its time, which later tests do not need.
"""

USUAL_SECONDS = 0.2
"""Assumed seconds of a set-up, at most, where imports hide how long it takes."""


SHARED_SCOPES = ("session", "package")
"""Scopes of fixtures that are set up once in an interpreter, and not for each test or module."""


@dataclass
class _Span:
    """The seconds and the imported modules of one fixture, or of those inside it."""

    seconds: float = 0.0
    modules: int = 0

    def add(self, seconds: float, modules: int) -> None:
        self.seconds += seconds
        self.modules += modules


class SetUpStopwatch:
    """Adds up the seconds of fixture functions, as a plugin of pytest.

    Choosing the fixtures takes several times as long; no later test does that.
    """

    def __init__(self) -> None:
        self._of_tests = _Span()
        self._inside: list[_Span] = []
        """For each fixture that is being set up: what fixtures inside it took."""

    @property
    def seconds(self) -> float:
        """Return the seconds of a set-up without imports, as well as that is known."""
        taken = self._of_tests
        return taken.seconds if taken.modules <= MOST_MODULES else min(taken.seconds, USUAL_SECONDS)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Measure one fixture without those that are set up while it runs."""
        began, loaded = monotonic(), len(sys.modules)
        self._inside.append(_Span())
        yield
        inside = self._inside.pop()
        seconds, modules = monotonic() - began, len(sys.modules) - loaded
        if fixturedef.scope not in SHARED_SCOPES:
            self._of_tests.add(seconds - inside.seconds, modules - inside.modules)
        if self._inside:
            self._inside[-1].add(seconds, modules)


@contextmanager
def timed_set_up(config: pytest.Config) -> Iterator[SetUpStopwatch]:
    """Yield a stopwatch that measures the fixtures which are set up inside."""
    stopwatch = SetUpStopwatch()
    config.pluginmanager.register(stopwatch)
    try:
        yield stopwatch
    finally:
        config.pluginmanager.unregister(stopwatch)
