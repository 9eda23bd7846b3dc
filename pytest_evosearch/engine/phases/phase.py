"""What a phase is, and how a list of them is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_evosearch.engine.phases.found import Found


class Phase(Protocol):
    """One step after the search; what it is given is changed, and nothing in it gets lost."""

    @property
    def name(self) -> str:
        """As the time plan and the terminal know it; empty for what takes next to no time."""

    def skipped_because(self, found: Found) -> str:
        """Say why the phase does not take place; empty when it does."""

    def run(self, found: Found) -> None:
        """Do the work, in the time that the plan has for it."""


def run_phases(phases: Sequence[Phase], found: Found) -> None:
    """Run one phase after the other, without those that are skipped."""
    for phase in phases:
        if not phase.skipped_because(found):
            if phase.name:
                found.context.begin(phase.name)
            phase.run(found)
