"""After the search: sends what oracles can judge, based on tests that the application accepts.

The bases are the shortest tests of the archive with a good response, for every endpoint.
`engine.checks` says what is made of them, in which order.  A finding becomes a target of the
archive, so the harvest minimises and writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Generator
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.malformed import Answer
from pytest_evosearch.engine.malformed import answers_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed

Tests: TypeAlias = "Generator[Individual, Observation, None]"
"""Yields tests, and is sent what happened in each."""


@dataclass(frozen=True)
class Base:
    """A test whose last call had a good response."""

    individual: Individual
    act: Exchange

    @property
    def is_served(self) -> bool:
        """Say whether its last call was not refused."""
        return self.act.status < FIRST_REFUSAL


class Inquiry:
    """Executes tests until a number of executions, or the time, is used up."""

    def __init__(self, loop: SearchLoop) -> None:
        self.loop = loop
        self.model = loop.problem.known.model
        self._asked = 0
        self._limit = 0
        self._bases_of: dict[TargetId, list[Base]] = {}
        self._out_of_time: Callable[[], bool] = lambda: True

    def allow(self, limit: int, out_of_time: Callable[[], bool]) -> None:
        """Allow executions until there were `limit` in total, or the time is up."""
        self._limit, self._out_of_time = limit, out_of_time

    def ask(self, tests: Tests) -> None:
        """Execute tests until there are no more, or no more are allowed."""
        with suppress(StopIteration):
            test = next(tests)
            while (observation := self.examine(test)) is not None:
                test = tests.send(observation)
        tests.close()

    def examine(self, individual: Individual) -> Observation | None:
        """Execute a test and keep what it covers; None when no more are allowed."""
        return self.loop.examine(individual) if self._count() else None

    def fails(self, individual: Individual) -> bool:
        """Say whether a test shows a failure; nothing else that it shows is kept."""
        if not self._count():
            return False
        return any(fault.is_failure for fault in observed(self.loop.evaluate(individual)).faults)

    def _count(self) -> bool:
        allowed = self._asked < self._limit and not self._out_of_time()
        self._asked += allowed
        return allowed

    def bases(self, answers: Sequence[Answer] | None = None) -> Iterator[Base]:
        """Yield the shortest test of each good status of each endpoint, in a stable order.

        For an endpoint that always refuses, yield the tests of all its statuses.  Each test is
        executed when it is first needed, to know what its last call does.
        """
        every = answers_of(self.loop.archive)
        accepting = {key for _target, key, status in every if status < FIRST_REFUSAL}
        for target, key, status in every if answers is None else answers:
            if status >= FIRST_REFUSAL and key in accepting:
                continue
            if target not in self._bases_of:
                individual = self.loop.archive.covered[target].individual
                observation = self.examine(individual)
                if observation is None:
                    return
                self._bases_of[target] = _cut_after(individual, observation, key, status)
            yield from self._bases_of[target]


def _cut_after(
    individual: Individual, observation: Observation, key: str, status: int
) -> list[Base]:
    """Return the test up to the first call with this status; empty if there is no such call."""
    for place, exchange in enumerate(observation.exchanges):
        if exchange.request.endpoint == key and exchange.status == status:
            return [Base(Individual(individual.calls[: place + 1]), exchange)]
    return []
