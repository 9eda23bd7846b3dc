"""Heuristic scores in [0, 1]: how close a test came to a target.

0 means "not reached", 1 means "covered".  Neither side of a condition that was evaluated has score
0.  Formulas: A. Arcuri, "RESTful API automated test case generation with EvoMaster", TOSEM 2019,
and the Truthness of the 2022 Python driver's thesis.
"""

from __future__ import annotations

from typing import NamedTuple

COVERED = 1.0
"""The score of a target that was reached."""

REACHED_EMPTY = 0.05
"""Lowest score of a comparison that was reached, and whose left operand is None or empty."""

REACHED = 0.1
"""Lowest score of a comparison of two real values that was reached."""


class Truthness(NamedTuple):
    """How close a condition came to each of its outcomes; exactly one of the two scores is 1."""

    of_true: float
    of_false: float

    def inverted(self) -> Truthness:
        """Return the truthness of the negated condition."""
        return Truthness(self.of_false, self.of_true)


def scaled(base: float, distance: float) -> float:
    """Map a distance in [0, inf] to (base, 1]: ``base + (1 - base) / (distance + 1)``."""
    if distance == float("inf"):
        return base
    return base + (1.0 - base) / (distance + 1.0)
