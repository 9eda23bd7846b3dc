"""Finished tests, for the phases that follow the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.harvest.finished_tests import FinishedTests


@dataclass
class EarlyFindings:
    """What a process beside the search has minimised and verified; empty without such a process."""

    finished: FinishedTests = field(default_factory=FinishedTests)
    proven: set[str] = field(default_factory=set)
    """Fingerprints of tests that held in all circumstances."""
    are_coming: bool = False
    """Whether a process is still working."""
    read: Callable[[], None] = lambda: None
    """Reads what the process has reported until now."""
    leave: Callable[[], None] = lambda: None
    """Lets the process end; its later reports are ignored."""

    def counts(self) -> tuple[int, int, bool]:
        """Return how many tests are minimised, how many verified, and whether more will come."""
        return len(self.finished), len(self.proven), self.are_coming
