"""Exchanges with and without the faults of `oracles.object_authorization`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import JSON
from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def object_authorization() -> Iterator[Example]:
    get = Request("GET", "/a/{id}", {"id": 1})
    delete = Request("DELETE", "/a/{id}", {"id": 1})
    item, gone = Response(200, JSON, b'{"id": 1}'), Response(404)
    listed, empty = Response(200, JSON, b'[{"id": 1}]'), Response(200, JSON, b"[]")
    hers = Exchange(Request("GET", "/a"), listed, "ann")
    his, his_too = (Exchange(Request("GET", "/a"), one, "bob") for one in (empty, listed))
    nobody = Exchange(get, Response(401))
    ann, bob = Exchange(get, item, "ann"), Exchange(get, item, "bob")
    read = (hers, his, nobody, ann, bob)
    yield Example(read, ("read by another user",))
    yield Example((hers, his_too, nobody, ann, bob))
    yield Example((hers, his, Exchange(get, item), ann, bob))
    yield Example((*read[:-1], Exchange(get, gone, "bob")))
    refused = Exchange(get, gone, "bob")
    deleted = Exchange(delete, Response(204), "bob")
    after = Exchange(get, gone, "ann")
    yield Example((nobody, ann, refused, deleted, after), ("DELETE by another user",))
    yield Example((nobody, ann, refused, deleted, ann))
    yield Example((nobody, ann, deleted, after))
    put = Request("PUT", "/a/{id}", {"id": 1})
    change = (Exchange(put, Response(200), "ann"), Exchange(put, Response(403), "bob"))
    story = (nobody, *change, ann, deleted, after)
    yield Example(story, ("DELETE by another user",))
