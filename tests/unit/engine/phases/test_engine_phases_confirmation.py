"""What was cut off early in a short search is a freeze only when it takes its whole time, too."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.engine.phases.confirmation import confirm_freezes
from pytest_evosearch.engine.phases.confirmation import freezes_of
from pytest_evosearch.engine.phases.confirmation import tell_answers
from pytest_evosearch.engine.search_statistics import Statistics
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.oracles.server_error import CHOSEN_FAILURE
from pytest_evosearch.oracles.server_error import FREEZE
from pytest_evosearch.oracles.server_error import SERVER_ERROR
from pytest_evosearch.oracles.server_error import STATUS_5XX
from pytest_evosearch.oracles.server_error import as_seen_inside
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.search.archive import Archive

SECONDS = {"GET /quick": 0.0, "GET /slow": 2.0, "GET /hangs": 60.0}

CONFIRMATION = "pytest_evosearch.engine.phases.confirmation"


def freeze_of(endpoint: str) -> Fault:
    target = fault_target(endpoint, "Freeze", "?")
    return Fault(FREEZE, endpoint, "Freeze", "?", "the call did not end in time", 0, target)


class Search:
    """Stands in for what a search has found: calls take the seconds of the table."""

    def __init__(self, budget: float | None) -> None:
        self.limit = TimeLimit(5.0, budget=budget)
        self.executor = SimpleNamespace(slow=set())
        self.handle = SimpleNamespace(outside=False)
        self.archive: Archive[Individual] = Archive()
        self.statistics = Statistics()
        self.asked: list[str] = []
        self.meter = SimpleNamespace(budget=SimpleNamespace(seconds=budget))
        for endpoint in SECONDS:
            evaluation = self.evaluate(Individual((Call(endpoint, (), 1),)))
            self.archive.offer(evaluation)
            for fault in evaluation.observation.faults:
                self.statistics.note_fault(fault)
        self.asked.clear()

    def evaluate(self, individual: Individual) -> Any:
        (call,) = individual.calls
        self.asked.append(call.endpoint)
        limit = 5.0 if call.endpoint in self.executor.slow else self.limit.present
        is_frozen = SECONDS[call.endpoint] > limit
        request = Request(*call.endpoint.split(" "))
        exchange = Exchange(request, None if is_frozen else Response(200), frozen=is_frozen)
        faults = (freeze_of(call.endpoint),) if is_frozen else ()
        observation = Observation(individual, (exchange,), (), faults)
        scores = {fault.target: 1.0 for fault in faults} or {f"status {call.endpoint} 200": 1.0}
        return Evaluation(individual, scores, (1, 0), observation)

    def offered(self, evaluation: Any) -> Any:
        return evaluation, self.archive.offer(evaluation)


def confirmed(search: Search, seconds: float = 60.0) -> tuple[str, ...]:
    anything: Any = search
    return confirm_freezes(anything, anything, seconds).notices()


def faults_of(search: Search) -> set[str]:
    return {fault.endpoint for fault in search.statistics.faults.values()}


def test_what_ends_within_the_whole_limit_is_no_fault() -> None:
    search = Search(budget=10.0)
    assert faults_of(search) == {"GET /slow", "GET /hangs"}
    assert confirmed(search) == ("GET /slow took longer than 1.0 s, but ended",)
    assert faults_of(search) == {"GET /hangs"}
    assert search.archive.is_covered("status GET /slow 200")
    assert search.executor.slow == {"GET /slow"}  # tests of it can be made


def test_what_is_too_slow_for_the_budget_gets_no_test(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 8.0))
    monkeypatch.setattr(f"{CONFIRMATION}.monotonic", lambda: next(clock))
    search = Search(budget=10.0)
    assert confirmed(search) == ("GET /slow took longer than 1.0 s, but ended",)
    assert faults_of(search) == {"GET /hangs"}
    assert not search.archive.is_covered("status GET /slow 200")
    assert not search.executor.slow


def test_what_there_is_no_time_to_ask_is_told_and_no_fault() -> None:
    search = Search(budget=10.0)
    (notice,) = confirmed(search, seconds=0.0)
    assert notice.startswith("GET /slow, GET /hangs did not end within 1.0 s: this is a fault")
    assert "longer than 5 s (request.timeout)" in notice
    assert not faults_of(search)
    assert not search.asked


@pytest.mark.parametrize("budget", [None, 1800.0])
def test_what_had_its_whole_time_is_not_asked_again(budget: float | None) -> None:
    search = Search(budget)
    assert confirmed(search) == ()
    assert faults_of(search) == {"GET /hangs"}
    assert not search.asked


def test_the_harvest_need_not_execute_freezes_again_but_of_a_server() -> None:
    search: Any = Search(budget=None)
    assert freezes_of(search, search) == {freeze_of("GET /hangs").target}
    search.handle.outside = True
    assert not freezes_of(search, search)


LINE, CAUGHT = "line shop.py:4", "branch shop.py:5 except"


@pytest.mark.parametrize(
    ("body", "ran", "code"),
    [
        (b"sorry", {LINE}, CHOSEN_FAILURE),
        (b"sorry", {LINE, CAUGHT}, SERVER_ERROR),
        (b"sorry", set(), SERVER_ERROR),
        (b"", {LINE}, SERVER_ERROR),
    ],
)
def test_a_500_without_an_exception_is_an_answer(body: bytes, ran: set[str], code: str) -> None:
    exchange = Exchange(Request("GET", "/full"), Response(500, (), body))
    target = fault_target("GET /full", STATUS_5XX, "unknown")
    fault = Fault(SERVER_ERROR, "GET /full", STATUS_5XX, "unknown", "answered 500", 0, target)
    evaluation = Evaluation(
        Individual((Call("GET /full", (), 1),)),
        {target: 1.0},
        (1, 0),
        Observation(Individual(()), (exchange,), (), (fault,)),
    )
    search: Any = SimpleNamespace(archive=Archive(), statistics=Statistics())
    search.archive.offer(evaluation)
    search.statistics.note_fault(fault)

    def fully(_individual: Individual) -> Any:
        found = as_seen_inside(fault, exchange, ran)
        seen = Observation(Individual(()), (exchange,), (), (found,))
        return SimpleNamespace(
            evaluation=replace(evaluation, scores={found.target: 1.0}, observation=seen)
        )

    search.executor = SimpleNamespace(evaluate_fully=fully)
    tell_answers(search, search)

    ((kept, found),) = search.statistics.faults.items()
    assert found.code == code
    assert search.archive.is_covered(kept)
