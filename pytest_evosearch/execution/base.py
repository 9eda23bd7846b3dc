"""The seam between the engine and whatever executes a test."""

from __future__ import annotations

from typing import Protocol
from typing import TypeVar

from pytest_evosearch.problem.evaluation import Evaluation

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class Executor(Protocol[I]):
    """Executes one individual from a restored state."""

    def evaluate(self, individual: I) -> Evaluation[I]:
        """Execute for the search: scores of the targets that are still of interest."""
        ...

    def evaluate_fully(self, individual: I) -> Evaluation[I]:
        """Execute for minimisation and writing: scores of every target, retired ones too."""
        ...
