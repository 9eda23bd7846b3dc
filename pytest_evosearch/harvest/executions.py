"""Executes the tests of a harvest, and counts the executions."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from functools import cached_property
from functools import lru_cache

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed

MOST_REMEMBERED = 512
"""Executed repairs that are remembered."""


@dataclass
class Executions:
    """An executor with a counter."""

    executor: HttpExecutor
    count: int = 0

    def fully(self, individual: Individual) -> FullEvaluation[Individual]:
        """Execute a test with all probes active, call by call."""
        self.count += 1
        return self.executor.evaluate_fully(individual)

    @cached_property
    def remembered(self) -> Callable[[Individual], FullEvaluation[Individual]]:
        """Return `fully` for repairs, of which the proofs of other tests ask for the same again."""
        return lru_cache(MOST_REMEMBERED)(self.fully)

    def again(self, individual: Individual) -> tuple[Exchange, ...]:
        """Execute a test without probes, and return its exchanges."""
        self.count += 1
        return self.executor.repeat(individual, unchanged)

    def compared(self, individual: Individual) -> Sequence[Comparison]:
        """Execute a test, and return the comparisons of its last call."""
        self.count += 1
        return observed(self.executor.evaluate(individual, guided=True)).guidance
