"""Heuristic scores: how close a test came to a target, in [0, 1].

0 means "not reached", 1 means "covered"; a condition that was evaluated is never 0 on
either side.  Formulas: A. Arcuri, "RESTful API automated test case generation with
EvoMaster", TOSEM 2019, and the Truthness of the 2022 Python driver's thesis.
"""

from __future__ import annotations

from typing import NamedTuple

COVERED = 1.0
"""The score of a target that was reached."""

REACHED_EMPTY = 0.05
"""Base of a comparison whose left operand is None or empty."""

REACHED = 0.1
"""Base of a comparison of two real values."""


class Truthness(NamedTuple):
    """How close a condition came to each of its outcomes; exactly one side is 1."""

    of_true: float
    of_false: float

    def inverted(self) -> Truthness:
        """Return the truthness of the negated condition."""
        return Truthness(self.of_false, self.of_true)


def scaled(base: float, distance: float) -> float:
    """Map a distance in [0, inf] to (base, 1], falling: ``base + (1 - base) / (distance + 1)``."""
    if distance == float("inf"):
        return base
    return base + (1.0 - base) / (distance + 1.0)
