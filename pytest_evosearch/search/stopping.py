"""When a search may end before its budget; asks the archive and no clock.

    covered:  every known target is covered (only meaningful when the known targets are all
              that there are, so the caller says what it expects)
    stalled:  no best value of any target rose during the last max(N, share of all) evaluations

The engine decides what follows from this.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.search.archive import Archive

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class StallRule:
    """How long a search may go on without an improvement."""

    minimum: int = 2000
    """Number of evaluations without an improvement that are always allowed."""
    share: float = 0.5
    """Share of all evaluations so far that may pass without an improvement, 0 to 1."""

    def allows(self, waiting: int, evaluations: int) -> bool:
        """Say whether `waiting` of `evaluations` may have passed without an improvement."""
        return waiting < max(self.minimum, self.share * evaluations)


def evaluations_since_improvement(archive: Archive[I]) -> int:
    """Return the number of offers since the best value of any target last rose."""
    return archive.offers - archive.last_improvement


def is_stalled(archive: Archive[I], rule: StallRule | None = None) -> bool:
    """Say whether there was no progress for longer than `rule` allows."""
    waiting = evaluations_since_improvement(archive)
    return not (rule or StallRule()).allows(waiting, archive.offers)


def is_everything_covered(archive: Archive[I], expected: Collection[TargetId]) -> bool:
    """Say whether all `expected` targets and all reached targets are covered.

    Return False when `expected` is empty, because then it is not known which targets exist.
    """
    return bool(expected) and not archive.best and all(map(archive.is_covered, expected))
