"""Exchanges with and without the faults of `oracles.http_semantics`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def body_forbidden() -> Iterator[Example]:
    request = Request("DELETE", "/a")
    yield Example((Exchange(request, Response(204)),))
    yield Example((Exchange(request, Response(200, (), b"gone")),))
    yield Example((Exchange(request, Response(204, (), b"gone")),), ("204 with body",))


def allow_missing() -> Iterator[Example]:
    request = Request("PUT", "/a")
    yield Example((Exchange(request, Response(405, (("allow", "GET"),))),))
    yield Example((Exchange(request, Response(405, (("Allow", ""),))),))
    yield Example((Exchange(request, Response(405)),), ("405 without Allow",))


def challenge_missing() -> Iterator[Example]:
    request = Request("GET", "/a")
    yield Example((Exchange(request, Response(401, (("WWW-Authenticate", "Basic"),))),))
    yield Example((Exchange(request, Response(403)),))
    yield Example((Exchange(request, Response(401)),), ("401 without challenge",))


def status_undeclared() -> Iterator[Example]:
    request = Request("GET", "/a")
    known = Knowledge(responses={"GET /a": {"200": {}, "4xx": {}}})
    yield Example((Exchange(request, Response(200)),), (), known)
    yield Example((Exchange(request, Response(404)),), (), known)
    yield Example((Exchange(request, Response(302)),), ("status 302",), known)
    yield Example((Exchange(request, Response(302)),))
    yield Example((Exchange(request, Response(302), routed=False),), (), known)
