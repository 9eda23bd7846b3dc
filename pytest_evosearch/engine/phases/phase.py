"""What a phase is, and how a list of them is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.errors import EvosearchError


class Phase(Protocol):
    """One step after the search, which changes what was found and loses nothing of it."""

    @property
    def name(self) -> str:
        """Return its name in the time plan and the terminal; empty if it takes almost no time."""

    @property
    def is_optional(self) -> bool:
        """Say whether the run is complete without it."""

    def skipped_because(self, found: Found) -> str:
        """Return why the phase is skipped; empty when it is not."""

    def run(self, found: Found) -> None:
        """Do the work, in the time that the plan gives."""


def run_phases(phases: Sequence[Phase], found: Found) -> None:
    """Run the phases in order, without those that are skipped.

    Where one fails, the next ones make the best of what is there.
    """
    for phase in phases:
        if not phase.skipped_because(found):
            if phase.name:
                found.context.begin(phase.name)
            try:
                phase.run(found)
            except EvosearchError:
                raise
            except Exception as error:
                fence = found.ready.fence
                fence.note(f"the phase {phase.name or type(phase).__name__}", error)
                if not phase.is_optional:
                    fence.worst = fence.worst or error
