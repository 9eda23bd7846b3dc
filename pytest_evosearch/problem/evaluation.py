"""The outcome of executing one individual, as the search and the archive see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class Evaluation(Generic[I]):
    """One executed individual with its heuristic values.

    `scores` holds every target with a score above 0 that is still of interest: a target
    that the archive has retired may be missing even though it was executed again.
    """

    individual: I
    scores: Mapping[TargetId, float]
    size: tuple[int, int]
    """Calls, then bytes of input: the order in which ties are broken, smaller is better."""
    observation: object = None
    """What the problem learns from: for HTTP the list of exchanges and the comparisons seen."""
