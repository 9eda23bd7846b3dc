"""Endpoints that refuse everybody without a token against forgery."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.problem.http.forgery import ForgeryGate

MISSING = b"<p>The CSRF token is missing.</p>"
LAYOUT = b'<meta name="csrf-token" content="x"><h1>Forbidden</h1>'


def answered(status: int, body: bytes, method: str = "POST", user: str | None = None) -> Exchange:
    request = Request(method, "/orders", f"{method} /orders")
    return Exchange(request, Response(status, {}, body), user=user)


@pytest.mark.parametrize(
    ("exchange", "closed"),
    [
        (answered(400, MISSING), True),
        (answered(403, MISSING, "DELETE"), True),
        (answered(403, MISSING, user="ann"), False),
        (answered(200, MISSING), False),
        (answered(403, b"Forbidden"), False),
        (answered(403, LAYOUT, "GET"), False),
    ],
    ids=["missing", "deletes", "a user", "succeeds", "says nothing", "only reads"],
)
def test_endpoint_is_closed_by_who_needs_no_name_to_be_refused(
    exchange: Exchange, closed: bool
) -> None:
    gate = ForgeryGate()

    gate.learn(exchange)

    assert gate.is_closed(exchange.request.endpoint) is closed
