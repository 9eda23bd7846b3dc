"""What an application registers with `atexit` runs at the end of the sandbox."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from typing import Any

import pytest

from pytest_evosearch.sut.sandbox import parting_functions
from pytest_evosearch.sut.sandbox.parting_functions import own_parting

APPLICATION = """
import atexit

def register(function, *arguments):
    return atexit.register(function, *arguments)
"""


def is_ours() -> bool:
    """Take everything for the application's."""
    return False


def application() -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": "shop"}
    exec(APPLICATION, names)
    register: Callable[..., Any] = names["register"]
    return register


def test_functions_are_called_at_the_end_and_the_last_one_first() -> None:
    real, called = atexit.register, list[int]()
    register = application()
    with own_parting(is_ours):
        assert register(called.append, 1) == called.append
        register(called.append, 2)
        assert not called
    assert called == [2, 1]
    assert atexit.register is real


def test_a_function_that_fails_or_exits_keeps_no_other_from_its_turn() -> None:
    called: list[int] = []
    told: list[BaseException] = []
    register = application()
    with own_parting(is_ours, told.append):
        register(called.append, 1)
        register(exit)
        register(lambda: 1 / 0)
    assert called == [1]
    assert [type(one) for one in told] == [ZeroDivisionError]


def test_functions_that_do_not_end_are_cut_off_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parting_functions, "SECONDS", 0.2)
    called: list[int] = []
    told: list[BaseException] = []
    register = application()
    with own_parting(is_ours, told.append):
        register(called.append, 1)
        for _ in range(100):
            register(time.sleep, 1000)
        register(called.append, 2)
    assert called == [2]
    assert list(map(str, told)) == ["sleep did not end within 0.2 s"]


def test_what_is_unregistered_is_not_called() -> None:
    called: list[int] = []

    def note() -> None:
        called.append(1)

    register = application()
    with own_parting(is_ours):
        register(note)
        atexit.unregister(note)
    assert not called
