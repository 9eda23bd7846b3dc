"""What a run knows of its own speed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """What is known so far about an application's speed, in seconds, and about its tests."""

    ready: float = 0.0
    """From the start of the command to the start of the search."""
    loading: float = 0.0
    """Loading the application in an interpreter."""
    set_up: float = 0.0
    """Fixtures of one test."""
    execution: float = 0.0
    """One execution of a test."""
    tests: int = 0
    """Number of tests that would be written if the search ended now."""
    shortened: int = 0
    """How many of them a process beside the search has minimised."""
    proven: int = 0
    """How many of them a process beside the search has verified."""
    processors: int = 1
    is_helped: bool = False
    """Whether a process beside the search is finishing tests."""

    @property
    def seconds_a_test(self) -> float:
        """Return the seconds for a written test in an interpreter with the application loaded."""
        return self.set_up + self.execution
