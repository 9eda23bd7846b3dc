"""Endpoints that refuse everybody without a token against forgery."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from toy_application import page

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.forgery import ForgeryGate

MISSING = b"<p>The CSRF token is missing.</p>"
LAYOUT = b'<meta name="csrf-token" content="x"><h1>Forbidden</h1>'


def answered(status: int, body: bytes, method: str = "POST", user: str | None = None) -> Exchange:
    request = Request(method, "/orders", f"{method} /orders")
    return Exchange(request, Response(status, {}, body), user=user)


@pytest.mark.parametrize(
    ("exchange", "closed"),
    [
        (answered(400, MISSING), True),
        (answered(403, MISSING, "DELETE"), True),
        (answered(403, MISSING, user="ann"), False),
        (answered(200, MISSING), False),
        (answered(403, b"Forbidden"), False),
        (answered(403, LAYOUT, "GET"), False),
    ],
    ids=["missing", "deletes", "a user", "succeeds", "says nothing", "only reads"],
)
def test_endpoint_is_closed_by_who_needs_no_name_to_be_refused(
    exchange: Exchange, closed: bool
) -> None:
    gate = ForgeryGate()

    gate.learn(exchange)

    assert gate.is_closed(exchange.request.endpoint) is closed


HEAD = '<html><head><meta name="csrf-token" content="secret-token"></head></html>'
SHOW, SEND = Endpoint("GET", "/", "show"), Endpoint("POST", "/cards", "send")
REFUSED = Response(400, (("Content-Type", "application/json"),), b'{"error": "CSRF token missing"}')


def board(*names: str) -> HttpProblem:
    """Return a problem that knows the page with a token, and a refusal without one."""
    header = tuple(Parameter(Location.HEADER, name, TextGene(), source="read") for name in names)
    problem = HttpProblem([SHOW, replace(SEND, parameters=header)], users=["ann"])
    for endpoint, response in ((SHOW, page(HEAD)), (SEND, REFUSED)):
        individual = Individual((Call(endpoint.key, (), 1),))
        seen = Exchange(Request(endpoint.method, endpoint.template), response)
        problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))
    return problem


def sent_by(problem: HttpProblem) -> list[tuple[bool, tuple[Input, ...]]]:
    """Return whether the page was read before each call that sends, and what that sends."""
    rng = Random(1)
    samples = [problem.sample(rng).calls for _ in range(80)]
    return [
        (SHOW.key in {call.endpoint for call in calls[:-1]}, calls[-1].inputs)
        for calls in samples
        if len(calls) > 1 and calls[-1].endpoint == SEND.key
    ]


def test_what_a_script_sends_carries_the_token_of_the_page_in_a_header() -> None:
    sent = sent_by(board("X-Csrftoken", "X-Csrf-Token"))

    linked = [
        (was_read, given.name, given.gene.selector)
        for was_read, inputs in sent
        for given in inputs
        if isinstance(given.gene, LinkGene)
    ]
    others = [given for _, inputs in sent for given in inputs if given.name == "X-Csrf-Token"]
    assert len(linked) > 20
    assert len(others) < 8
    assert set(linked) == {(True, "X-Csrftoken", ("page", "csrf-token"))}


def test_what_asks_for_no_header_is_sent_without_one() -> None:
    assert all(not inputs for _, inputs in sent_by(board()))


def test_a_success_needs_no_token() -> None:
    """Only what was refused for it gets one: a layout carries it on every page."""
    problem = HttpProblem(
        [SHOW, replace(SEND, parameters=(Parameter(Location.HEADER, "X-Csrftoken", TextGene()),))]
    )
    individual = Individual((Call(SHOW.key, (), 1),))
    seen = Exchange(Request("GET", "/"), page(HEAD))
    problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, (seen,))))

    genes = [given.gene for _, inputs in sent_by(problem) for given in inputs]

    assert not any(isinstance(gene, LinkGene) for gene in genes)
