"""Failures after answers of other services are told as what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.oracles.server_error import ServerErrorOracle
from pytest_evosearch.oracles.server_error import lacks_service
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

URL = "http://prices.internal/today"
ASKED = Outgoing(f"GET {URL}", "GET", URL, answer=b'{"count": 0, "kind": "x"}')
CRASH = Crash("ZeroDivisionError", "builtins", "division by zero", "shop.py", 4, "view", "...")
READ = Read("answer", (ASKED.name, "json", "kind"), True, "needed")


def judged(crash, asked=ASKED, status=500, reads=(READ,)):
    evidence = Evidence(outgoing=(asked,), contacted=("prices.internal",))
    response = Response(status)
    exchange = Exchange(Request("GET", "/a"), response, crash=crash, reads=reads, evidence=evidence)
    return [(fault.kind, fault.message) for fault in ServerErrorOracle().judge(exchange, 0)]


def crash_of(kind, message):
    return replace(CRASH, type_name=kind, message=message)


def test_a_crash_after_a_good_answer_is_a_fault_like_any_other():
    assert judged(CRASH) == [("ZeroDivisionError", "division by zero")]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": 503}, "answered 503"),
        ({"failure": "time-out"}, "did not answer in time"),
        ({"failure": "refused", "url": "", "method": "", "name": "prices.internal"}, "refused the"),
    ],
)
def test_a_crash_after_a_failure_is_a_fault_of_the_service(changes, said):
    unreachable = replace(CRASH, type_name="ConnectionError", unreachable=True)

    [(kind, message)] = judged(unreachable, replace(ASKED, **changes))

    assert kind == "service failure"
    assert message.startswith(f"the service at prices.internal {said}")


@pytest.mark.parametrize(
    "crash",
    [
        ("TypeError", "'str' / 'int'"),
        ("KeyError", "'x'"),
        ("ParserError", "Unknown string format: Expiration 696"),
    ],
)
def test_an_answer_that_no_such_service_gives_is_no_fault(crash):
    assert judged(crash_of(*crash)) == []


def test_a_missing_member_that_the_code_expects_to_miss_is_a_fault():
    read = Read("answer", (ASKED.name, "json", "discount"), False)
    crash = crash_of("TypeError", "unsupported operand type(s) for *: 'NoneType' and 'int'")

    assert [kind for kind, _message in judged(crash, reads=(read,))] == ["TypeError"]


def test_a_response_that_tells_of_the_service_is_no_fault_and_can_be_a_test():
    refused = replace(ASKED, failure="refused")

    assert judged(None, refused, 503) == []
    assert judged(crash_of("ConnectionError", "refused"), refused, 502) == []
    evidence = Evidence(outgoing=(refused,), contacted=("prices.internal",))
    assert not lacks_service(Exchange(Request("GET", "/a"), Response(503), evidence=evidence))
