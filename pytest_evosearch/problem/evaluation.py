"""The outcome of executing one individual, as the search and the archive see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class Evaluation(Generic[I]):
    """One executed individual with its heuristic values.

    `scores` holds every target of interest with a score above 0. A retired target of the archive
    may be missing, even when it was executed again.
    """

    individual: I
    scores: Mapping[TargetId, float]
    size: tuple[int, int]
    """Number of calls, then bytes of input. This order breaks ties; smaller is better."""
    observation: object = None
    """What the problem learns from; for HTTP the exchanges and the recorded comparisons."""
