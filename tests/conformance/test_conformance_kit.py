from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_evosearch.core.isolation import random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.conformance import run_conformance
from pytest_evosearch.search.toy import ToyTest


class Sound:
    """The simplest algorithm that conforms."""

    def __init__(self, context: SearchContext[ToyTest]) -> None:
        self.context = context

    def ask(self) -> Sequence[ToyTest]:
        return [self.context.problem.sample(self.context.rng)]

    def tell(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        """Learn nothing."""

    def welcome(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        """Learn nothing."""


class Silent(Sound):
    """Asks for nothing."""

    def ask(self) -> Sequence[ToyTest]:
        return []


class Greedy(Sound):
    """Asks for too much at once."""

    def ask(self) -> Sequence[ToyTest]:
        return list(super().ask()) * 1000


class Erratic(Sound):
    """Draws from a source of its own."""

    def __init__(self, context: SearchContext[ToyTest]) -> None:
        super().__init__(context)
        self.source = random.SystemRandom()

    def ask(self) -> Sequence[ToyTest]:
        return [self.context.problem.sample(self.source)]


class Secluded(Sound):
    """Takes nobody in once it has begun."""

    has_begun = False

    def ask(self) -> Sequence[ToyTest]:
        self.has_begun = True
        return super().ask()

    def welcome(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        if self.has_begun:
            raise RuntimeError("nobody asked for this")


class Exact(Sound):
    """Cannot do with fewer outcomes than it asked for."""

    def ask(self) -> Sequence[ToyTest]:
        return list(super().ask()) * 10

    def tell(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        if len(evaluations) != 10:
            raise IndexError("an outcome is missing")


def test_a_sound_algorithm_passes() -> None:
    run_conformance(Sound, evaluations=50)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Silent, "returned nothing"),
        (Greedy, "1000 tests at once"),
        (Erratic, "two runs with the same seed differ"),
    ],
)
def test_broken_algorithms_are_told_what_is_wrong(broken: type[Sound], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        run_conformance(broken, evaluations=50)


def test_an_algorithm_that_takes_nobody_in_is_found_out() -> None:
    with pytest.raises(RuntimeError):
        run_conformance(Secluded, evaluations=50)


def test_an_algorithm_that_needs_every_outcome_is_found_out() -> None:
    with pytest.raises(IndexError):
        run_conformance(Exact, evaluations=50)
