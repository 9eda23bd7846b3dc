"""Exchanges with and without the faults of `oracles.resources`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def delete_ineffective() -> Iterator[Example]:
    get, delete = (Request(method, "/a/{id}", {"id": 1}) for method in ("GET", "DELETE"))
    missing = Exchange(Request("GET", "/a/{id}", {"id": 9}), Response(404))
    there = Exchange(get, Response(200, (), b"a"))
    done = Exchange(delete, Response(204))
    yield Example((missing, there, done, there), ("still there",))
    yield Example((missing, there, done, Exchange(get, Response(404))))
    yield Example((missing, there, done, Exchange(get, Response(200, (), b"deleted"))))
    yield Example((there, done, there))
    yield Example((missing, there, Exchange(delete, Response(202)), there))
    yield Example((missing, there, Exchange(delete, Response(403)), there))


def location_unresolvable() -> Iterator[Example]:
    post = Request("POST", "/a")
    made = Exchange(post, Response(201, (("Location", "http://localhost/a/1"),)))
    get = Request("GET", "/a/{id}", {"id": 1})
    nowhere = Exchange(get, Response(404))
    other = Exchange(Request("GET", "/a/{id}", {"id": 2}), Response(404))
    delete = Exchange(Request("DELETE", "/a/{id}", {"id": 1}), Response(204))
    yield Example((made, nowhere), ("Location of POST /a",))
    yield Example((made, Exchange(get, Response(200))))
    yield Example((made, other))
    yield Example((made, delete, nowhere))
    yield Example((Exchange(post, Response(200, (("Location", "/a/1"),))), nowhere))
