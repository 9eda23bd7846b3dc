"""The seam between the engine and whatever executes a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class FullEvaluation(Generic[I]):
    """An evaluation that saw every target, and which call covered what."""

    evaluation: Evaluation[I]
    covered_by_call: tuple[frozenset[TargetId], ...]
    """Targets covered by each call, in the order of the calls."""
    disturbances: tuple[str, ...] = ()
    """What it does to the process that tests share, as in ``changes the working directory``."""
    harms: tuple[str, ...] = ()
    """What it tried and was kept from, as in ``remove /srv/shop.db at shop/admin.py:3``."""
    created: tuple[str, ...] = ()
    """Patterns of the files that it leaves behind, below the project: ``uploads/**/*``."""
    keeps_context: bool = False
    """It leaves a context variable set, for the next call in that context."""
    leaves_threads: bool = False
    """It leaves threads that end soon, and that a written test waits for."""

    @property
    def covered(self) -> frozenset[TargetId]:
        """Everything that the individual covers."""
        return frozenset().union(*self.covered_by_call)
