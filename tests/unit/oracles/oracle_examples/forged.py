"""Exchanges with and without the faults of `oracles.forged`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.inquiries.forged_inquiry import NO_TOKEN


def forged_token() -> Iterator[Example]:
    known = Knowledge(forged={"a.b.": "alg none", "a.b.x": "changed signature"})
    garbage = Exchange(_sending(NO_TOKEN), Response(401))
    for token, kind in known.forged.items():
        served = Exchange(_sending(token), Response(200))
        yield Example((garbage, served), (kind,), known)
        yield Example((Exchange(_sending(NO_TOKEN), Response(200)), served), (), known)
        yield Example((garbage, Exchange(_sending(token), Response(401))), (), known)
        yield Example((garbage, served))


def _sending(token: str) -> Request:
    return Request("GET", "/a", headers=(("Authorization", f"Bearer {token}"),))
