"""The seam between the engine and whatever executes a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.consequences import Consequences

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class FullEvaluation(Generic[I]):
    """An evaluation that records every target, and which call covered which targets."""

    evaluation: Evaluation[I]
    covered_by_call: tuple[frozenset[TargetId], ...]
    """Targets that each call covers, in the order of the calls."""
    disturbances: tuple[str, ...] = ()
    """Changes to the process that tests share, as in ``changes the working directory``."""
    harms: tuple[str, ...] = ()
    """Forbidden attempts, as in ``remove /srv/shop.db at shop/admin.py:3``."""
    consequences: Consequences = Consequences()

    @property
    def covered(self) -> frozenset[TargetId]:
        """All targets that the individual covers."""
        return frozenset().union(*self.covered_by_call)


@dataclass(frozen=True)
class GrownEvaluation(Generic[I]):
    """The evaluation of a test that grew while it was executed (`Order.go_on`)."""

    evaluation: Evaluation[I]
    """That of the whole test."""
    by_call: tuple[Mapping[TargetId, float], ...]
    """The scores of each call; those that it began with count for the last of them."""
