"""What oracles share: how a fault is made, and how to read what is at an address."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

DONE = (200, 201, 204)
"""Statuses of a change that has happened; a 202 response only promises it."""

GONE = (404, 410)

UNSEEN = Expectation("unseen")
"""No response shows it, so a test without the plugin cannot assert it."""


def finding(
    code: str, endpoint: str, call: int, kind: str, message: str, expectation: Expectation
) -> Fault:
    """Return a fault without a line of the source, for faults whose line is not known."""
    target = fault_target(endpoint, f"{code} {kind}", UNKNOWN_POSITION)
    return Fault(code, endpoint, kind, UNKNOWN_POSITION, message, call, target, expectation)


def address_of(request: Request) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what identifies the resource of a request."""
    return request.template, tuple((name, str(value)) for name, value in request.path.items())


def is_plain_get(exchange: Exchange) -> bool:
    """Say whether an exchange reads the whole resource, without special headers."""
    request = exchange.request
    return request.method == "GET" and not request.query and exchange.response is not None


def body_of(exchange: Exchange) -> bytes:
    """Return the body of the response; empty when there is none."""
    return exchange.response.body if exchange.response is not None else b""


def json_of(exchange: Exchange) -> object:
    """Return the parsed body; None when it is not JSON."""
    response = exchange.response
    if response is None or not response.is_json:
        return None
    try:
        return response.json()
    except ValueError:
        return None


def differences(
    before: object, after: object, place: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield (place, old value) where two JSON values differ; for a list first its length."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, part in before.items():
            if name in after:
                yield from differences(part, after[name], (*place, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, part in enumerate(before):
            yield from differences(part, after[index], (*place, index))
    elif before != after:
        yield place, before


def as_it_was(before: object, after: object, phrase: str) -> Expectation:
    """Expect that a JSON response had stayed unchanged; `UNSEEN` when it is not JSON."""
    for place, old in differences(before, after):
        if isinstance(old, list):
            return Expectation("json-length", len(old), place, phrase)
        if old is None or isinstance(old, (str, int, float)):
            return Expectation("json-is", old, place, phrase)
    return UNSEEN
