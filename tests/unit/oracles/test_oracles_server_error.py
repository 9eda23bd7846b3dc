from __future__ import annotations

import pytest

from pytest_evosearch.oracles.server_error import ServerErrorOracle
from pytest_evosearch.problem.http.exchange import Crash
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response

REQUEST = Request("GET", "/a")
CRASH = Crash("KeyError", "builtins", "'x'", "shop/a.py", 4, "view", "Traceback ...")


@pytest.mark.parametrize(
    ("exchange", "found"),
    [
        (Exchange(REQUEST, Response(200)), []),
        (Exchange(REQUEST, Response(404)), []),
        (Exchange(REQUEST, Response(503)), [("server-error", "5xx", "unknown")]),
        (Exchange(REQUEST, None, crash=CRASH), [("crash", "KeyError", "shop/a.py:4")]),
        (Exchange(REQUEST, Response(500), crash=CRASH), [("crash", "KeyError", "shop/a.py:4")]),
        (Exchange(REQUEST, Response(500), crash=CRASH, held_back=True), []),
        (Exchange(REQUEST, None, frozen=True), [("freeze", "Freeze", "unknown")]),
    ],
)
def test_one_fault_at_most_and_the_most_specific(
    exchange: Exchange, found: list[tuple[str, str, str]]
) -> None:
    faults = list(ServerErrorOracle().judge(exchange, 2))
    assert [(fault.code, fault.kind, fault.position) for fault in faults] == found
    assert all(fault.call == 2 for fault in faults)
