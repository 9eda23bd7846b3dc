"""Changes probes between recording all targets and omitting retired ones."""

from __future__ import annotations

from typing import Any

from pytest_evosearch.instrument.probing.journal import Change
from pytest_evosearch.instrument.probing.journal import Setting


class TwoModes:
    """The part of a probe that knows what it learns in each mode.

    The last item of what it learns is the setting of its slot before a test.
    """

    __slots__ = ()

    _of_mode: tuple[Any, Any]
    """What it learns where retired targets are omitted, and where all are recorded."""
    learning: Any
    """What it learns in the present mode."""

    @property
    def armed(self) -> Setting:
        """See `Probe.armed`."""
        setting: Setting = self.learning[-1]
        return setting

    def changes(self, full: bool) -> tuple[Change, Change]:
        """See `Probe.changes`."""
        learning = self._of_mode[full]
        return (self, "learning", learning), learning[-1]
