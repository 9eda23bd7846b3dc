"""What is finished by now, for the phases that follow the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.harvest.finished_tests import FinishedTests


@dataclass
class EarlyFindings:
    """What a process beside the search has minimised and verified; nothing where there is none."""

    finished: FinishedTests = field(default_factory=FinishedTests)
    proven: set[str] = field(default_factory=set)
    """Fingerprints of tests that have held in all circumstances."""
    are_coming: bool = False
    """Whether a process is at work."""
    read: Callable[[], None] = lambda: None
    """Take in what the process has told until now."""
    leave: Callable[[], None] = lambda: None
    """Let the process end: what it has not told by now is not wanted any more."""

    def counts(self) -> tuple[int, int, bool]:
        """Return how many tests are minimised, how many verified, and whether more are coming."""
        return len(self.finished), len(self.proven), self.are_coming
