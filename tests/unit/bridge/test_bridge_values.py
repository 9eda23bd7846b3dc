"""What the values of fixtures are taken for."""

from __future__ import annotations

import pytest

from pytest_evosearch.bridge.applications.fixtures import can_log_in
from pytest_evosearch.bridge.applications.fixtures import is_credentials
from pytest_evosearch.bridge.verdict import failures
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary


class Actions:
    def login(self, name: str = "alice") -> str:
        return name


class Demanding:
    def login(self, name: str) -> str:
        return name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Actions(), True),
        (Demanding(), False),
        (Actions, False),
        (pytest, False),
        ({"login": 1}, False),
        (None, False),
    ],
)
def test_objects_that_log_in(value: object, expected: bool) -> None:
    assert can_log_in(value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Authorization": "Bearer x"}, True),
        ({"X-Api-Key": "x", "Accept": "*/*"}, True),
        ({"access_token": "x"}, True),
        ({"Accept": "*/*"}, False),
        ({"id": 1}, False),
        ({}, False),
        ("Bearer x", False),
    ],
)
def test_dicts_that_are_credentials(value: object, expected: bool) -> None:
    assert is_credentials(value) is expected


FAULT = FaultRow("crash", "GET /", "KeyError", "shop.py:7", "'x'")


@pytest.mark.parametrize(
    ("fail_on", "outcome", "number"),
    [
        ([], Outcome(ExitReason.BUDGET, 1, faults=(FAULT,)), 0),
        (["fault"], Outcome(ExitReason.BUDGET, 1, faults=(FAULT,)), 1),
        (["fault", "new-fault"], Outcome(ExitReason.BUDGET, 1, faults=(FAULT,)), 2),
        (
            ["unstable"],
            Outcome(ExitReason.BUDGET, 1, suite=SuiteSummary(dropped=(DroppedRow("a", "slow"),))),
            0,
        ),
        (
            ["unstable"],
            Outcome(
                ExitReason.BUDGET,
                1,
                suite=SuiteSummary(dropped=(DroppedRow("a", "unstable status"),)),
            ),
            1,
        ),
        ([], Outcome(ExitReason.BUDGET, 1, suite=SuiteSummary(unverified=("a", "b"))), 2),
    ],
)
def test_what_makes_a_run_fail(fail_on: list[str], outcome: Outcome, number: int) -> None:
    assert len(list(failures(outcome, fail_on, known=set()))) == number


def test_the_memory_of_earlier_runs_and_the_baseline_know_faults_by_their_reported_id() -> None:
    outcome = Outcome(ExitReason.BUDGET, 1, faults=(FAULT,))
    (identity,) = fault_identities(outcome)
    assert list(failures(outcome, ["new-fault"], known={identity})) == []
    (told,) = failures(outcome, ["new-fault"], known=())
    assert told == (
        f"failed: 1 new fault (--evosearch-fail-on=new-fault): GET / KeyError [{identity}]"
    )
