"""The seam of every search algorithm: `ask` for individuals, `tell` what came of them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.search_problem import Problem
from pytest_evosearch.search.archive import Archive

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class SearchAlgorithm(Protocol[I]):
    """Decides what to execute next; the driver owns the loop, the executor and the clock.

    The driver calls `ask`, executes what it got, offers every evaluation to the archive,
    and hands the evaluations back in the same order with `tell`.
    """

    def ask(self) -> Sequence[I]:
        """Return at least one individual to execute."""
        ...

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Take in the outcomes of what the last `ask` returned, in the same order.

        Fewer outcomes than asked for may come, when the budget ran out in between.
        """
        ...

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Take in the outcomes of tests that it did not ask for, maybe none.

        They come before the first `ask` (seeds, visits of every endpoint) and after any `tell`
        (tests of other islands).
        """
        ...


@dataclass(frozen=True)
class SearchContext(Generic[I]):
    """What an algorithm is given: the problem, the shared archive, randomness and progress."""

    problem: Problem[I]
    archive: Archive[I]
    rng: Random
    progress: Callable[[], float]
    """Spent share of the budget, 0 to 1; schedules depend on it, never on a clock."""
    control_dependencies: Callable[[str], Sequence[str]] = lambda _target: ()
    """For a target, the branches of which one must be covered before it can be; () for a root."""
