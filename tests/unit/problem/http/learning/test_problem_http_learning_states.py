"""States: what was done to an application, as far as answers tell."""

from __future__ import annotations

from random import Random

import pytest

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.http_problem import HttpProblem

ENDPOINTS = (
    Endpoint("GET", "/things", "list"),
    Endpoint("POST", "/things", "create"),
    Endpoint("DELETE", "/things/{id}", "delete"),
    Endpoint("GET", "/confirm/{token}", "confirm"),
)


@pytest.fixture
def problem() -> HttpProblem:
    return HttpProblem(ENDPOINTS, max_calls=3)


def states(problem: HttpProblem, *answers: tuple[str, int]) -> list[str]:
    exchanges = tuple(answered(key, status) for key, status in answers)
    return states_after(problem, exchanges)


def states_after(problem: HttpProblem, exchanges: tuple[Exchange, ...]) -> list[str]:
    calls = (Call(each.request.endpoint, (), label) for label, each in enumerate(exchanges))
    individual = Individual(tuple(calls))
    observation = Observation(individual, exchanges)
    return list(problem.states(Evaluation(individual, {}, (len(individual), 0), observation)))


def answered(key: str, status: int, page: bytes = b"", mailed: bool = False) -> Exchange:
    method, template = key.split(" ")
    origins = {("path", "token"): Origin(0, ("mail", template, "token"))} if mailed else {}
    headers = (("Content-Type", "text/html"),)
    return Exchange(Request(method, template, origins=origins), Response(status, headers, page))


def test_a_state_is_the_set_of_what_has_changed_something(problem: HttpProblem) -> None:
    assert states(problem, ("POST /things", 201), ("DELETE /things/{id}", 204)) == [
        "POST /things",
        "DELETE /things/{id} POST /things",
    ]
    assert states(problem, ("POST /things", 201), ("POST /things", 201)) == ["POST /things"] * 2


def test_neither_reading_nor_failing_leads_to_another_state(problem: HttpProblem) -> None:
    assert states(problem, ("GET /things", 200), ("POST /things", 400)) == ["", ""]


def test_a_form_that_is_shown_again_has_changed_nothing(problem: HttpProblem) -> None:
    assert states_after(problem, (answered("POST /things", 200, b"<form>"),)) == [""]


def test_an_address_out_of_a_mail_changes_something(problem: HttpProblem) -> None:
    confirm = "GET /confirm/{token}"
    assert states_after(problem, (answered(confirm, 302, mailed=True),)) == [confirm]
    assert states_after(problem, (answered(confirm, 302),)) == [""]


def test_what_was_not_sent_has_no_state(problem: HttpProblem) -> None:
    individual = Individual((Call("GET /things", (), 1), Call("POST /things", (), 2)))
    observation = Observation(individual, (answered("GET /things", 200),))
    assert list(problem.states(Evaluation(individual, {}, (2, 0), observation))) == [""]
    assert list(problem.states(Evaluation(individual, {}, (2, 0)))) == []


def test_every_endpoint_is_on_offer_until_a_test_is_full(problem: HttpProblem) -> None:
    rng = Random(1)
    keys = [endpoint.key for endpoint in ENDPOINTS]
    full = Individual(tuple(Call("GET /things", (), label) for label in range(3)))
    assert problem.offers(None, rng) == keys
    assert problem.offers(Individual(full.calls[:2]), rng) == keys
    assert list(problem.offers(full, rng)) == []


def test_what_froze_is_rarely_on_offer(problem: HttpProblem) -> None:
    rng, individual = Random(1), Individual((Call("GET /things", (), 1),))
    frozen = Exchange(Request("GET", "/things"), None, frozen=True)
    observation = Observation(individual, (frozen,))
    problem.learn(Evaluation(individual, {}, (1, 0), observation))
    offered = sum("GET /things" in problem.offers(None, rng) for _ in range(100))
    assert 0 < offered < 20
