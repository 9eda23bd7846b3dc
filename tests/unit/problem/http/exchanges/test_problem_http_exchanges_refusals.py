"""Which answers refuse with the status of a success."""

from __future__ import annotations

import json

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.refusals import is_told


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, {"error": "no such user"}, True),
        (200, {"ok": False, "msg": "no such user"}, True),
        (200, {"status": "error", "message": "no such user"}, True),
        (200, {"status": "error"}, False),
        (200, {"liked": False}, False),
        (200, {"id": 1, "adult": False, "description": "a game"}, False),
        (200, {"email": "a@example.com", "language": "en", "adult": False}, False),
        (200, {"ok": True, "msg": "sent"}, False),
        (200, {"error": None, "id": 1}, False),
        (200, [{"error": "x"}], False),
        (404, {"error": "no such user"}, False),
    ],
)
def test_an_error_or_a_false_flag_beside_a_text_tells_of_a_refusal(
    status: int, body: object, expected: bool
) -> None:
    response = Response(status, (("Content-Type", "application/json"),), json.dumps(body).encode())

    assert is_told(Exchange(Request("GET", "/users"), response)) is expected
