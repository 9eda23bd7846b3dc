"""How long a call may take."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from pytest_evosearch.execution import guard
from pytest_evosearch.execution.guard import SHORTEST_SECONDS
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.guard import TimeLimitExceeded


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [(None, 5.0), (1800.0, 5.0), (60.0, 3.0), (10.0, SHORTEST_SECONDS)],
)
def test_one_call_takes_no_large_part_of_a_short_budget(
    budget: float | None, seconds: float
) -> None:
    assert TimeLimit(5.0, budget=budget).present == seconds


def test_the_more_calls_hang_the_less_each_may_waste() -> None:
    limit = TimeLimit(5.0, budget=60.0)
    limit.install()
    try:
        with pytest.raises(TimeLimitExceeded), limit.limited():
            raise TimeLimitExceeded
    finally:
        limit.uninstall()
    assert limit.present == pytest.approx(2.7)


def test_what_the_user_allows_is_never_exceeded() -> None:
    assert TimeLimit(0.2, budget=10.0).present == 0.2


def test_a_patient_call_gets_all_of_its_time() -> None:
    limit = TimeLimit(5.0, budget=10.0)
    assert limit.is_shortened
    limit.patient = True
    assert limit.present == 5.0
    assert not TimeLimit(5.0, budget=1800.0).is_shortened


class Lasting:
    """Takes long to go."""

    def __del__(self) -> None:
        time.sleep(60)


def test_a_destructor_between_calls_is_cut_off_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "DESTRUCTOR_SECONDS", 0.05)
    monkeypatch.setattr(sys, "unraisablehook", lambda _unraisable: None)
    limit = TimeLimit(5.0)
    limit.install()
    try:
        with limit.between_calls():
            lasting = [Lasting()]
            lasting.clear()
            threading.Event().wait(0.1)
            put_back = True
    finally:
        limit.uninstall()
    assert put_back
    ((file, line),) = limit.unending_destructors()
    assert file == __file__
    assert line == Lasting.__del__.__code__.co_firstlineno + 1
    assert limit.unending_destructors() == []
