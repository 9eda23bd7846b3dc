"""What a project changes in another way each time is noticed before the search."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from pytest_evosearch.engine.preparing.rehearsal import changing_part
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Request

ENDPOINTS = [Endpoint("GET", "/orders/{id}", "show"), Endpoint("POST", "/orders", "create")]


def now() -> str:
    return str(time.time())


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda request: request, None),
        (lambda request: replace(request, headers=(("X-Version", "2"),)), None),
        (lambda request: replace(request, headers=(("X-Sent", now()),)), "the header 'X-Sent'"),
        (lambda request: replace(request, cookies=(("sent", now()),)), "the cookie 'sent'"),
        (lambda request: replace(request, query=(("t", now()),)), "the query parameter 't'"),
        (lambda request: replace(request, json={"t": now()}), "the body"),
    ],
)
def test_part_that_differs_is_named(change, part: str | None) -> None:
    assert changing_part(lambda request, _endpoint, _user: change(request), ENDPOINTS) == part


def test_requests_that_write_are_tried_with_a_body() -> None:
    def change(request: Request, _endpoint: Endpoint, _user: str | None) -> Request:
        if not request.has_json:
            raise HookFailed("nothing to sign")
        return replace(request, headers=(("X-Signature", now()),))

    assert changing_part(change, ENDPOINTS) == "the header 'X-Signature'"
    assert changing_part(change, ENDPOINTS[:1]) is None
