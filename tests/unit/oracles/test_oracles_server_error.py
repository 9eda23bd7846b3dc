from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.oracles.server_error import CHOSEN_FAILURE
from pytest_evosearch.oracles.server_error import ServerErrorOracle
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash

REQUEST = Request("GET", "/a")
CRASH = Crash("KeyError", "builtins", "'x'", "shop/a.py", 4, "view", "Traceback ...")


@pytest.mark.parametrize(
    ("ways", "distinct"),
    [
        ([("shop/a.py authorize",)] * 2, 1),
        ([("shop/a.py one", "shop/a.py view"), ("shop/a.py other", "shop/a.py view")], 2),
        ([(), ()], 2),
    ],
    ids=["before-every-view", "helper-of-two-views", "unknown"],
)
def test_endpoints_share_a_crash_that_the_same_functions_led_to(
    ways: list[tuple[str, ...]], distinct: int
) -> None:
    faults = [
        fault
        for path, way in zip(("/a", "/b"), ways, strict=True)
        for fault in ServerErrorOracle().judge(
            Exchange(Request("GET", path), None, crash=replace(CRASH, way=way)), 0
        )
    ]
    assert len({fault.target for fault in faults}) == distinct


@pytest.mark.parametrize(
    "message",
    [
        "(sqlite3.OperationalError) no such table: users",
        'relation "users" does not exist\nLINE 1: SELECT',
        "(1146, \"Table 'shop.users' doesn't exist\")",
        "(sqlite3.OperationalError) no such column: users.city [SQL: SELECT users.id",
        "column users.city does not exist\nLINE 1: SELECT",
        "(1054, \"Unknown column 'users.city' in 'field list'\")",
    ],
)
def test_a_missing_table_or_column_is_one_fault_wherever_it_is_asked_for(message: str) -> None:
    crashes = [
        replace(CRASH, message=message, line=line, way=(f"shop/a.py view_{line}",))
        for line in (4, 9)
    ]
    other = replace(CRASH, message=message.replace("users", "books"))
    faults = [
        fault
        for crash in (*crashes, other)
        for fault in ServerErrorOracle().judge(Exchange(REQUEST, None, crash=crash), 0)
    ]
    assert faults[0].target == faults[1].target != faults[2].target


def test_endpoints_share_an_answer_of_5xx_that_the_same_functions_decided() -> None:
    gate = replace(CRASH, message="no database is loaded", way=("shop/a.py authorize",))
    faults = [
        fault
        for path in ("/a", "/b")
        for fault in ServerErrorOracle().judge(
            Exchange(Request("GET", path), Response(503), abort=gate), 0
        )
    ]
    assert [fault.position for fault in faults] == ["shop/a.py:4"] * 2
    assert {fault.message for fault in faults} == {"answered 503: no database is loaded"}
    assert len({fault.target for fault in faults}) == 1
    assert not any(fault.is_failure for fault in faults)


@pytest.mark.parametrize(
    ("status", "body", "is_failure"),
    [
        (503, b"Closed for repairs", False),
        (503, b"", True),
        (503, b"The server is temporarily unable to service your request due to ...", True),
        (500, b"Something went wrong", True),
    ],
)
def test_a_5xx_that_the_application_words_itself_is_an_answer(
    status: int, body: bytes, is_failure: bool
) -> None:
    response = Response(status, (("Content-Type", "text/plain"),), body)
    faults = [
        fault
        for path in ("/a", "/b")
        for fault in ServerErrorOracle().judge(Exchange(Request("GET", path), response), 0)
    ]

    assert [fault.is_failure for fault in faults] == [is_failure] * 2
    assert len({fault.target for fault in faults}) == 1 + is_failure
    assert {fault.code for fault in faults} == {"server-error" if is_failure else CHOSEN_FAILURE}


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


@pytest.mark.parametrize(
    ("mimetype", "body", "message"),
    [
        ("application/json", b'{"error": "\'price\'"}', "answered 500: 'price'"),
        ("application/json", b'{"count": 1}', "answered 500"),
        ("application/json", b"[", "answered 500"),
        ("text/html", b"<h1>Sorry</h1>", "answered 500"),
    ],
    ids=["a message", "no message", "no JSON", "a page"],
)
def test_what_a_handler_says_about_its_failure_is_told(
    mimetype: str, body: bytes, message: str
) -> None:
    response = Response(500, (("Content-Type", mimetype),), body)

    (fault,) = ServerErrorOracle().judge(Exchange(REQUEST, response), 0)

    assert fault.message == message
