"""Measures how long setting up the fixtures of one test takes, as later tests will need it."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_evosearch.core.clock import monotonic

SHARED_SCOPES = ("session", "package")
"""Scopes of fixtures that are set up once in an interpreter, and not for each test or module."""


class SetUpStopwatch:
    """Adds up the seconds of fixture functions, as a plugin of pytest.

    Choosing the fixtures takes several times as long; no later test does that.  Nor does a later
    test import modules, so this time is left out.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        """Seconds of a set-up without imports."""
        self._elsewhere = 0.0
        """Seconds so far that belong to no fixture in use, or to one inside it."""
        self._imports = 0
        """How many imports are running, each inside another."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Measure one fixture without those that are set up while it runs."""
        began, before = monotonic(), self._elsewhere
        yield
        own = monotonic() - began - (self._elsewhere - before)
        self._elsewhere += own
        if fixturedef.scope not in SHARED_SCOPES:
            self.seconds += own

    def importing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that imports, and whose time is not that of fixtures."""

        def imported(*given: Any, **named: Any) -> Any:
            began, before, loaded = monotonic(), self._elsewhere, len(sys.modules)
            self._imports += 1
            try:
                return real(*given, **named)
            finally:
                self._imports -= 1
                if not self._imports and len(sys.modules) > loaded:
                    self._elsewhere = before + monotonic() - began

        return imported


@contextmanager
def timed_set_up(config: pytest.Config) -> Iterator[SetUpStopwatch]:
    """Yield a stopwatch that measures the fixtures which are set up inside."""
    stopwatch = SetUpStopwatch()
    config.pluginmanager.register(stopwatch)
    with ExitStack() as stack:
        stack.callback(config.pluginmanager.unregister, stopwatch)
        for owner, name in ((builtins, "__import__"), (importlib, "import_module")):
            real = getattr(owner, name)
            stack.callback(setattr, owner, name, real)
            setattr(owner, name, stopwatch.importing(real))
        yield stopwatch
