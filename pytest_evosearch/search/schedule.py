"""Schedules: parameters that move from exploration to focused search as the budget is spent.

    value(progress) = start + (end - start) * min(1, progress / focus)

The value changes linearly until the share `focus` of the budget is spent, and stays after that (A.
Arcuri, "Test suite generation with the Many Independent Objective (MIO) algorithm", IST 2018,
section 4.3).
"""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """A parameter that changes linearly from `start` to `end`, until `focus` is reached."""

    start: float
    end: float
    focus: float = 0.8
    """Share of the budget after which the value stays, 0 to 1; with 0 it is `end` at once."""

    def value(self, progress: float) -> float:
        """Return the value at the spent share `progress` of the budget (0 to 1, or more)."""
        if progress >= self.focus:
            return self.end
        return self.start + (self.end - self.start) * (max(progress, 0.0) / self.focus)

    def whole(self, progress: float) -> int:
        """Return the value rounded to the nearest whole number."""
        return round(self.value(progress))
