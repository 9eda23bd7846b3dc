"""Exchanges with and without the faults of `oracles.mass_assignment`."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from oracle_examples.example import JSON
from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Read


def mass_assignment() -> Iterator[Example]:
    get = Request("GET", "/a/{id}", {"id": 1})

    def put(**body: object) -> Request:
        return Request("PUT", "/a/{id}", {"id": 1}, json=body, has_json=True)

    old = Exchange(get, Response(200, JSON, b'{"id": 1, "is_admin": false, "plan": "a"}'))
    new = Exchange(get, Response(200, JSON, b'{"id": 1, "is_admin": true, "plan": "b"}'))
    grab = Exchange(put(is_admin=True, plan="b"), Response(200))
    read = Exchange(grab.request, Response(200), reads=(Read("json", ("is_admin",), True),))
    yield Example((old, grab, new), ("sets is_admin",))
    yield Example((old, grab, old))
    yield Example((old, read, new))
    fields: Mapping[str, Mapping[str, object]] = {"is_admin": {}, "plan": {"readOnly": True}}
    declared = Knowledge(fields={"PUT /a/{id}": fields})
    yield Example((old, grab, new), ("sets plan",), declared)
    post = Exchange(
        Request("POST", "/a", json={"n": "x"}, has_json=True),
        Response(201, JSON, b'{"id": 1, "n": "x", "role": "user"}'),
    )
    grabbed = Exchange(
        Request("POST", "/a", json={"n": "x", "role": "admin"}, has_json=True),
        Response(201, JSON, b'{"id": 2, "n": "x", "role": "admin"}'),
    )
    yield Example((post, grabbed), ("sets role",))
    yield Example((grabbed, post))
