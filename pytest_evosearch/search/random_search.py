"""Random search: new samples only.

    while budget left: run sample()

Sampler and archive are those of every other algorithm.  So random search is the baseline of every
comparison.  It keeps no state and never mutates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class RandomParameters:
    """Random search has no parameters."""


class RandomSearch(Generic[I]):
    """Random search behind `ask` and `tell`."""

    parameters_type = RandomParameters

    def __init__(
        self, context: SearchContext[I], parameters: RandomParameters | None = None
    ) -> None:
        self.parameters = parameters or RandomParameters()
        self._context = context

    def ask(self) -> Sequence[I]:
        """Return one new sample."""
        return [self._context.problem.sample(self._context.rng)]

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn nothing: the archive has the evaluations already."""

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn nothing."""
