"""Exchanges with and without the faults of `oracles.state`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import JSON
from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence


def get_changes_state() -> Iterator[Example]:
    get, post = Request("GET", "/a"), Request("POST", "/a")
    item, log = Evidence(changed=("item",)), Evidence(changed=("access_log",))
    yield Example((Exchange(get, Response(200), evidence=item),), ("changes item",))
    yield Example((Exchange(get, Response(200), evidence=log),))
    yield Example((Exchange(get, Response(200)),))
    yield Example((Exchange(post, Response(200), evidence=item),))


def failed_write() -> Iterator[Example]:
    post = Request("POST", "/a")
    item, log = Evidence(changed=("item",)), Evidence(changed=("login_attempt",))
    yield Example((Exchange(post, Response(409), evidence=item),), ("changes item",))
    yield Example((Exchange(post, Response(201), evidence=item),))
    yield Example((Exchange(post, Response(401), evidence=log),))
    yield Example((Exchange(post, Response(400)),))
    get = Request("GET", "/a")
    old, new = (Exchange(get, Response(200, JSON, body)) for body in (b'{"n": 1}', b'{"n": 2}'))
    yield Example((old, old, Exchange(post, Response(422)), new), ("changes what is shown",))
    yield Example((old, new, Exchange(post, Response(422)), old))
    yield Example((old, old, Exchange(post, Response(422)), old))
