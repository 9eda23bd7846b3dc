"""What oracles have in common: making a fault, and looking at what is behind an address."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Expectation
from pytest_evosearch.problem.http.exchanges.exchange import Fault
from pytest_evosearch.problem.http.exchanges.exchange import Request

DONE = (200, 201, 204)
"""Statuses of a change that has happened; 202 only promises it."""

GONE = (404, 410)

JSON = (("Content-Type", "application/json"),)
"""Headers of an answer in JSON, for examples."""

UNSEEN = Expectation("unseen")
"""No answer shows it, so that a test without the plugin cannot assert it."""


def finding(
    code: str, endpoint: str, call: int, kind: str, message: str, expectation: Expectation
) -> Fault:
    """Return a fault that no line of the source is to blame for, as far as can be told."""
    target = fault_target(endpoint, f"{code} {kind}", UNKNOWN_POSITION)
    return Fault(code, endpoint, kind, UNKNOWN_POSITION, message, call, target, expectation)


def address_of(request: Request) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what names the resource of a request."""
    return request.template, tuple((name, str(value)) for name, value in request.path.items())


def is_plain_get(exchange: Exchange) -> bool:
    """Say whether it reads the whole resource, as anybody would."""
    request = exchange.request
    return request.method == "GET" and not request.query and exchange.response is not None


def body_of(exchange: Exchange) -> bytes:
    """Return the body of the answer, empty when there is none."""
    return exchange.response.body if exchange.response is not None else b""


def json_of(exchange: Exchange) -> object:
    """Return the parsed answer, None when it is no JSON."""
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
    """Yield (place, old value) wherever two JSON values differ; a list by its length first."""
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
    """Return the expectation that a JSON answer had stayed the same; unseen when it is none."""
    for place, old in differences(before, after):
        if isinstance(old, list):
            return Expectation("json-length", len(old), place, phrase)
        if old is None or isinstance(old, (str, int, float)):
            return Expectation("json-is", old, place, phrase)
    return UNSEEN
