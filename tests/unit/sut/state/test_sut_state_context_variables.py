"""What a request leaves in context variables is noticed."""

from __future__ import annotations

from contextvars import Context
from contextvars import ContextVar
from decimal import getcontext

from pytest_evosearch.sut.state.context_variables import with_leftovers

TENANT: ContextVar[str] = ContextVar("tenant")


def left_by(function) -> tuple[object, bool]:
    return Context().run(with_leftovers, function)


def test_a_variable_that_stays_is_noticed_with_the_result() -> None:
    assert left_by(lambda: TENANT.set("a").var) == (TENANT, True)


def test_a_variable_that_is_reset_carries_nothing() -> None:
    assert left_by(lambda: TENANT.reset(TENANT.set("a"))) == (None, False)


def test_the_context_of_decimals_carries_nothing() -> None:
    assert left_by(lambda: getcontext().prec)[1] is False
