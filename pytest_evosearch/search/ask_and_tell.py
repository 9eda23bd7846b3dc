"""The interface of every search algorithm: `ask` returns tests, `tell` gets their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Generic
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.search_problem import Problem
from pytest_evosearch.search.archive import Archive

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class SearchAlgorithm(Protocol[I]):
    """Decides what to execute next; the driver has the loop, the executor and the clock.

    The driver calls `ask` and executes the tests.  It offers every evaluation to the archive, and
    passes the evaluations to `tell` in the order of the tests.
    """

    def ask(self) -> Sequence[I]:
        """Return at least one individual to execute."""
        ...

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn from the outcomes of the last `ask`, in the order of its tests.

        There may be fewer outcomes than tests, when the budget ends in between.
        """
        ...

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Learn from the outcomes of tests that the algorithm did not ask for, maybe none.

        They come before the first `ask` (seeds, visits of every endpoint) and after any `tell`
        (tests of other islands).
        """
        ...


@dataclass(frozen=True)
class SearchContext(Generic[I]):
    """What an algorithm gets: the problem, the shared archive, randomness and progress."""

    problem: Problem[I]
    archive: Archive[I]
    rng: Random
    progress: Callable[[], float]
    """Spent share of the budget, 0 to 1; schedules depend on it and never on a clock."""
    control_dependencies: Callable[[str], Sequence[str]] = lambda _target: ()
    """Returns for a target the branches of which one must be covered before it; () for a root."""
