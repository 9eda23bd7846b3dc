from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing

HOST = "prices.internal/today"


def outgoing() -> Iterator[Example]:
    def during(call: Outgoing) -> tuple[Exchange, ...]:
        evidence = Evidence(outgoing=(call,))
        return (Exchange(Request("GET", "/a"), Response(200), evidence=evidence),)

    secret = (("Authorization", "Bearer a"),)
    plain = Outgoing(f"GET http://{HOST}", "GET", f"http://{HOST}", headers=secret)
    yield Example(during(plain), ("secret in plain text",))
    yield Example(during(Outgoing(f"GET {HOST}", "GET", f"https://{HOST}", headers=secret)))
    for kind in ("no time-out", "open transaction"):
        careless = Outgoing(f"GET {HOST}", "GET", f"http://{HOST}", careless=(kind,))
        yield Example(during(careless), (kind,))
    yield Example(during(Outgoing("prices.internal")))
