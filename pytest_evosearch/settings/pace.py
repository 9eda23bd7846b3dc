"""What a run knows of its own speed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """What is known of an application by now, in seconds."""

    ready: float = 0.0
    """From the start of the command to the start of the search."""
    loading: float = 0.0
    """For an interpreter to load the application."""
    set_up: float = 0.0
    """For the fixtures of one test."""
    execution: float = 0.0
    """For one execution of a test."""
    tests: int = 0
    """Tests that would be written if the search ended now."""
    shortened: int = 0
    """Of these, the tests that a process beside the search has minimised."""
    proven: int = 0
    """Of these, the tests that it has verified."""
    processors: int = 1
    is_helped: bool = False
    """Whether a process beside the search finishes more tests."""

    @property
    def seconds_a_test(self) -> float:
        """Return what a written test takes in an interpreter that has loaded the application."""
        return self.set_up + self.execution
