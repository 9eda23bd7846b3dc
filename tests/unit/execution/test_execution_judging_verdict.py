"""The learnt verdict is noted on what is executed, and changes no memory of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

ONE = Individual((Call("GET /a", (), 1),))
LINES = frozenset({"line app.py:3"})


class Performer:
    """Answers each call with 200 and executes one line."""

    def perform(self, order: Order) -> Conversation:
        exchange = Exchange(Request("GET", "/a"), Response(200, (), b"no"))
        return Conversation([exchange], reached=LINES, covered=[LINES])

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Record nothing in any case."""

    def respecialize(self) -> None:
        """Have no probes."""


@dataclass
class Verdict:
    """Takes everything for refused from some moment on."""

    is_learnt: bool = False
    ways: list[Sequence[frozenset[TargetId]]] = field(default_factory=list)

    def marked(self, exchange: Exchange) -> Exchange:
        return replace(exchange, refused=True, meaning=401) if self.is_learnt else exchange

    def note_ways(self, exchanges: Sequence[Exchange], ways: Sequence[frozenset[TargetId]]) -> None:
        self.ways.append(ways)


def test_what_was_learnt_is_noted_on_every_kind_of_execution() -> None:
    verdict = Verdict()
    executor = HttpExecutor(Performer(), (), verdict=verdict)
    (before,) = exchanges_of(executor.evaluate(ONE))
    assert before.status == 200

    verdict.is_learnt = True
    assert [one.status for one in exchanges_of(executor.evaluate(ONE))] == [401]
    full = executor.evaluate_fully(ONE)
    assert [one.status for one in exchanges_of(full.evaluation)] == [401]
    assert "status GET /a 401" in full.covered
    (again,) = executor.repeat(ONE, unchanged)
    assert again.status == 401
    assert executor.recollection.contradicted([again]) == [], "the answer was always the same"


def test_lines_are_told_where_they_were_looked_at() -> None:
    verdict = Verdict()
    executor = HttpExecutor(Performer(), (), verdict=verdict)
    executor.evaluate(ONE, guided=True)
    executor.evaluate_fully(ONE)
    assert verdict.ways == [[LINES], [LINES]]
