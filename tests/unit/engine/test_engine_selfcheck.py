from __future__ import annotations

import math

import pytest

from pytest_evosearch.engine.selfcheck import SelfCheck
from pytest_evosearch.engine.selfcheck import changed_answers
from pytest_evosearch.engine.selfcheck import reference_individuals
from pytest_evosearch.engine.selfcheck import stable_answers
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response

INDEX = Endpoint("GET", "/", "index")
CLOCK = Endpoint("GET", "/clock", "clock")
CREATE = Endpoint("POST", "/", "create")
NOTE = Endpoint("GET", "/notes/{id}", "note")


class Application:
    """Stands in for the executor: a counter that nobody resets, and a page that always differs."""

    def __init__(self) -> None:
        self.leak = 0
        self.ticks = 0

    def repeat(self, individual, condition):
        self.ticks += 1
        with condition():
            return [self.answer(call.endpoint) for call in individual.calls]

    def answer(self, endpoint: str) -> Exchange:
        body = f"{self.ticks}" if endpoint == CLOCK.key else f"{self.leak}"
        request = Request("GET", endpoint.partition(" ")[2])
        return Exchange(request, Response(200, (), body.encode()), None)


def test_pages_without_parameters_are_asked_for_as_everybody() -> None:
    individuals = reference_individuals([INDEX, CREATE, NOTE, CLOCK], [None, "ann"])
    asked = [[(call.endpoint, call.user) for call in each.calls] for each in individuals]
    assert asked == [
        [("GET /", None), ("GET /clock", None)],
        [("GET /", "ann"), ("GET /clock", "ann")],
    ]
    assert reference_individuals([CREATE, NOTE], [None]) == []


def test_of_many_users_some_ask() -> None:
    individuals = reference_individuals([INDEX], [None, "ann", "bob", "eve", "joe"])
    assert [one.calls[0].user for one in individuals] == [None, "ann", "bob"]


def test_state_that_comes_back_needs_no_word_even_beside_a_clock() -> None:
    application = Application()
    check = SelfCheck(application.repeat, reference_individuals([INDEX, CLOCK], [None]))
    check.remember()
    assert check.notices() == []


def test_state_that_stays_is_told_once() -> None:
    application = Application()
    check = SelfCheck(application.repeat, reference_individuals([INDEX, CLOCK], [None, "ann"]))
    check.remember()
    application.leak = 1
    (notice,) = check.notices()
    assert "state did not come back (GET / answers another text)" in notice


@pytest.mark.parametrize(("patience", "pages"), [(math.inf, 9), (60.0, 9), (20.0, 3), (0.1, 2)])
def test_slow_pages_are_asked_for_as_long_as_there_is_patience(patience: float, pages: int) -> None:
    """Each call takes a second."""
    now = [0.0]
    application = Application()

    def repeat(individual, condition):
        now[0] += len(individual)
        return application.repeat(individual, condition)

    endpoints = [Endpoint("GET", f"/{number}", f"{number}") for number in range(9)]
    asked = reference_individuals(endpoints, [None])
    check = SelfCheck(repeat, asked, patience, lambda: now[0])
    check.remember()

    assert [len(individual) for individual, _answers in check.remembered()] == [pages]


def test_comparison_is_pure() -> None:
    stable = stable_answers([[("a", 200, b"x"), ("b", 200, b"1")], [("a", 200, b"x")]])
    assert stable == {0: ("a", 200, b"x")}
    assert changed_answers(stable, [("a", 500, b"x")]) == ["a answers 500, not 200"]
    assert changed_answers(stable, [("a", 200, b"x")]) == []
