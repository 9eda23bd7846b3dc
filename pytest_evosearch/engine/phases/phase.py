"""What a phase is, and how a list of them is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_evosearch.engine.phases.found import Found


class Phase(Protocol):
    """One step after the search, which changes what was found and loses nothing of it."""

    @property
    def name(self) -> str:
        """Return its name in the time plan and the terminal; empty if it takes almost no time."""

    def skipped_because(self, found: Found) -> str:
        """Return why the phase is skipped; empty when it is not."""

    def run(self, found: Found) -> None:
        """Do the work, in the time that the plan gives."""


def run_phases(phases: Sequence[Phase], found: Found) -> None:
    """Run the phases in order, without those that are skipped."""
    for phase in phases:
        if not phase.skipped_because(found):
            if phase.name:
                found.context.begin(phase.name)
            phase.run(found)
