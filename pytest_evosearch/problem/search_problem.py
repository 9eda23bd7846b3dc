"""The interface between a search and its problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class Problem(Protocol[I]):
    """Makes, varies and learns about individuals, without knowledge of the search."""

    def sample(self, rng: Random) -> I:
        """Return a fresh individual."""
        ...

    def mutate(self, individual: I, rng: Random, focus: TargetId | None = None) -> I:
        """Return a varied copy; `focus` is the present target of the search, if any."""
        ...

    def crossover(self, mother: I, father: I, rng: Random) -> tuple[I, I]:
        """Return two children by single-point crossover on the call sequence."""
        ...

    def actions(self, individual: I) -> Sequence[str]:
        """Return the action (such as ``GET /orders/{id}``) of each step, in order."""
        ...

    def insert_actions(self, receiver: I, donor: I, actions: frozenset[str], rng: Random) -> I:
        """Return `receiver` with the donor's steps of these `actions` inserted at a random place.

        The donated steps keep their data and order (linkage-tree recombination).
        """
        ...

    def offers(self, individual: I | None, rng: Random) -> Sequence[str]:
        """Return the actions that can follow `individual`, or begin one when it is None.

        There are none for an individual of full length.
        """
        ...

    def extend(self, individual: I | None, action: str, rng: Random) -> I:
        """Return `individual`, or an empty one for None, with a fresh step of `action` at its end.

        Steps that it needs may come before it. `offers` must contain the action.
        """
        ...

    def states(self, evaluation: Evaluation[I]) -> Sequence[str]:
        """Return the abstract state after each executed step.

        The state before the first step is the empty text. Without an observation, the result is
        empty.
        """
        ...

    def learn(self, evaluation: Evaluation[I]) -> None:
        """Learn from an executed individual: parameters, values, hints."""
        ...
