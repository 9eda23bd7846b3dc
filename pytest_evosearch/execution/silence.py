"""A recording without probes: level 0, the search as a black box."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from contextvars import Context
from typing import ParamSpec
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.trace import Trace

P = ParamSpec("P")
R = TypeVar("R")


class SilentRecording:
    """Stands in for `instrument.recording.Recording` where no module carries probes."""

    def begin(self, full: bool = False, focus: frozenset[TargetId] = frozenset()) -> None:
        """Begin a test: there is no probe to arm."""

    def end(self) -> Trace:
        """Return the empty trace."""
        return Trace()

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Do nothing: no target is recorded here."""

    def respecialize(self) -> None:
        """Do nothing: there are no silent probes."""

    def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call `function` in an empty context, as the real recording does."""
        return Context().run(function, *args, **kwargs)
