"""Calls the application before the search begins, to learn about users and tables."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from typing import Any

from pytest_evosearch.sut.sandbox.shared_resources import active_resources
from pytest_evosearch.sut.state.written_files import undone_file_changes

SECONDS = 1.0
"""Seconds for one call: pages that hang are no use here."""


class CarefulVisit:
    """Calls a function of the application: cut off when it hangs, and seen by no probe.

    Its changes to files are undone; for the rest of the state see `sut.users.undone_visits`.

    Code that runs outside tests counts as covered by loading the application, and would get no
    test. So the call runs as a test of its own, and its trace is discarded.
    """

    def __init__(self, recording: Any, seconds: float = SECONDS) -> None:
        self._recording = recording
        self._seconds = seconds

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what `function` returns, None when it was cut off."""
        if self._recording is None:
            return self._within_limit(Context().run, function, *args, **kwargs)
        self._recording.begin(discarded=True)
        try:
            return self._within_limit(self._recording.run, function, *args, **kwargs)
        finally:
            self._recording.end()

    def _within_limit(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        from pytest_evosearch.execution.guard import TimeLimit
        from pytest_evosearch.execution.guard import TimeLimitExceeded
        from pytest_evosearch.execution.process import ProtectedProcess

        limit = TimeLimit(self._seconds)
        limit.install()
        process = ProtectedProcess(active_resources())
        try:
            with undone_file_changes(), process.protected(), limit.limited(), process.call:
                return call(*args, **kwargs)
        except TimeLimitExceeded:
            return None
        finally:
            process.release()
            limit.uninstall()
