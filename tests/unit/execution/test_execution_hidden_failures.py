from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from pytest_evosearch.execution.hidden_failures import hidden_failures
from pytest_evosearch.sut.watching.background_failures import LOG
from pytest_evosearch.sut.watching.background_failures import BackgroundFailure
from pytest_evosearch.sut.watching.background_failures import BackgroundFailures


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def own(filename: str) -> str | None:
    return "shop.py" if filename == __file__ else None


def kinds(
    failures: list[BackgroundFailure],
    answered: Exception | None = None,
    status: int = 200,
    source: Callable[[str], str | None] = own,
) -> list[str]:
    return [one.crash.type_name for one in hidden_failures(failures, answered, status, source)]


def test_each_place_is_told_once():
    error = raised(ValueError("a"))
    failures = [BackgroundFailure(error, LOG, "GET /", "shop")] * 2
    assert kinds(failures) == ["ValueError"]


def test_what_the_answer_tells_is_not_hidden():
    error = raised(ValueError("a"))
    failure = BackgroundFailure(error, LOG, "GET /", "shop", in_call=True)
    assert kinds([failure], answered=error, status=500) == []
    assert kinds([failure], status=404) == []
    assert kinds([failure], status=200) == ["ValueError"]


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused")])
def test_a_service_that_is_not_there_explains_it(error):
    assert kinds([BackgroundFailure(raised(error), LOG, "GET /", "shop")]) == []


def test_what_is_raised_outside_of_the_application_is_left_out():
    failure = BackgroundFailure(raised(ValueError("a")), LOG, "GET /", "shop")
    assert kinds([failure], source=lambda _name: None) == []


def test_logs_are_heard_from_errors_on():
    failures = BackgroundFailures(lambda: "GET /")
    log = logging.getLogger("shop.told")
    with failures.installed():
        log.warning("a", exc_info=raised(ValueError("a")))
        log.error("b", exc_info=raised(KeyError("b")))
        log.error("c")
    log.error("d", exc_info=raised(KeyError("d")))
    (one,) = failures.take()
    assert (type(one.error), one.logger, one.in_call) == (KeyError, "shop.told", True)
