from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.forked.separation import SeparatePerformer
from pytest_evosearch.execution.forked.separation import WithoutHanging
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual


class Performing:
    """Answers all calls but those that freeze."""

    def __init__(self, *freezing: str) -> None:
        self.freezing = freezing
        self.performed: list[str] = []
        self.retired: list[TargetId] = []
        self.respecialized = 0

    def retire(self, targets: Sequence[TargetId]) -> None:
        self.retired += targets

    def respecialize(self) -> None:
        self.respecialized += 1

    def perform(self, order: Order) -> Conversation:
        said = Conversation()
        for call in order.individual.calls:
            self.performed.append(call.endpoint)
            frozen = call.endpoint in self.freezing
            exchange: Any = SimpleNamespace(
                request=SimpleNamespace(endpoint=call.endpoint), frozen=frozen
            )
            said.exchanges.append(exchange)
        return said


def order(*endpoints: str) -> Order:
    calls = tuple(Call(one, (), label) for label, one in enumerate(endpoints, start=1))
    return Order(Individual(calls), Look.SEARCH)


def test_what_has_answered_in_a_fork_is_executed_here() -> None:
    here, forks = Performing(), Performing("GET /slow")
    performer = SeparatePerformer(here, forks, ["GET /hung"])
    for _ in range(2):
        for endpoint in ("GET /", "GET /slow", "GET /hung"):
            performer.perform(order(endpoint))
    assert forks.performed == ["GET /", "GET /slow", "GET /hung", "GET /slow", "GET /hung"]
    assert here.performed == ["GET /"]


def test_one_call_that_may_hang_is_enough() -> None:
    here, forks = Performing(), Performing()
    performer = SeparatePerformer(here, forks, ["GET /hung"])
    performer.perform(order("GET /"))
    performer.perform(order("GET /", "GET /hung"))
    performer.perform(order("GET /"))
    assert here.performed == ["GET /"]


def test_a_test_that_has_hung_is_not_executed_again() -> None:
    forks = Performing("GET /hung")
    performer = SeparatePerformer(Performing(), forks, ["GET /hung"])
    hanging = order("GET /hung")
    first, second = performer.perform(hanging), performer.perform(hanging)
    assert forks.performed == ["GET /hung"]
    assert second.exchanges == first.exchanges
    assert second.exchanges is not first.exchanges


def test_a_test_that_has_hung_tells_of_each_call_what_it_covers_when_that_is_asked() -> None:
    forks = Performing("GET /hung")
    performer = SeparatePerformer(Performing(), forks, ["GET /hung"])
    hanging = order("GET /", "GET /hung")
    assert performer.perform(hanging).covered == []
    again = performer.perform(replace(hanging, look=Look.FULL))
    assert again.covered == [frozenset(), frozenset()]
    assert len(forks.performed) == 2


def test_both_hear_of_what_is_retired() -> None:
    here, forks = Performing(), Performing()
    performer = SeparatePerformer(here, forks, [])
    performer.retire(["line 1"])
    performer.respecialize()
    assert forks.retired == ["line 1"]
    assert here.respecialized == forks.respecialized == 1


def test_where_nothing_can_be_forked_what_has_hung_is_left_out() -> None:
    here = Performing()
    performer = WithoutHanging(here, ["GET /hung"])
    assert performer.perform(order("GET /")).exchanges
    assert not performer.perform(order("GET /", "GET /hung")).exchanges
    assert here.performed == ["GET /"]
