"""Exchanges with and without the faults of `oracles.authorization`."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def function_authorization() -> Iterator[Example]:
    users, purge = Request("GET", "/admin/users"), Request("POST", "/admin/purge")
    ok, no = Response(200), Response(403)
    root, ann = Exchange(users, ok, "root"), Exchange(users, no, "ann")
    nobody, purged = Exchange(purge, Response(401)), Exchange(purge, ok, "ann")
    yield Example((root, ann, nobody, purged), ("called by an ordinary user",))
    yield Example((root, ann, Exchange(purge, ok), purged))
    yield Example((ann, nobody, purged))
    yield Example((root, ann, nobody, Exchange(purge, ok, "root")))
    yield Example((root, ann, nobody, Exchange(purge, no, "ann")))
    public = Request("POST", "/purge")
    away = (Exchange(public, Response(401)), Exchange(public, ok, "ann"))
    yield Example((root, ann, *away))


def anonymous_write() -> Iterator[Example]:
    delete = Request("DELETE", "/a/{id}", {"id": 1})
    refused = Exchange(Request("GET", "/a/{id}", {"id": 1}), Response(401))
    done = Exchange(delete, Response(204))
    yield Example((refused, done), ("without a log-in",))
    yield Example((done,))
    yield Example((refused, Exchange(delete, Response(204), "ann")))
    yield Example((refused, Exchange(delete, Response(401))))
    secured: Mapping[str, object] = {"security": [{"key": []}]}
    declared = Knowledge(operations={"DELETE /a/{id}": secured, "GET /b": secured})
    optional = Knowledge(operations={"DELETE /a/{id}": {"security": [{"key": []}, {}]}})
    elsewhere = Exchange(Request("GET", "/b"), Response(401))
    yield Example((elsewhere, done), ("without a log-in",), declared)
    yield Example((done,), (), declared)
    yield Example((elsewhere, done), (), optional)
    cookie = Response(200, (("Set-Cookie", "session=x"),))
    yield Example((elsewhere, Exchange(Request("POST", "/login"), cookie), done), (), declared)
    token = Request("DELETE", "/a/{id}", {"id": 1}, headers=(("Authorization", "x"),))
    yield Example((elsewhere, Exchange(token, Response(204))), (), declared)
