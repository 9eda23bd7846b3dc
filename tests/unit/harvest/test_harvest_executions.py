"""Executions of tests in a harvest."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_evosearch.harvest.executions import Executions
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual


def test_a_repair_is_executed_once_for_all_proofs() -> None:
    executed: list[Individual] = []
    executor = SimpleNamespace(evaluate_fully=lambda one: executed.append(one) or len(executed))
    executions = Executions(executor)  # type: ignore[arg-type]
    desk, door = (Individual((Call(f"GET /{name}", (), 0),)) for name in ("desk", "door"))

    found = [executions.remembered(one) for one in (desk, door, Individual(desk.calls))]

    assert found == [1, 2, 1]
    assert executions.count == len(executed) == 2
    executions.fully(desk)
    assert executions.count == 3
