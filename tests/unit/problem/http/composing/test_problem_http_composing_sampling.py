"""How often the endpoints get their turn."""

from __future__ import annotations

from collections import Counter

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.http_problem import HttpProblem

GET = Endpoint("GET", "/hives", "hives")
ASKED = Endpoint("OPTIONS", "/hives", "hives")


def last_calls(*endpoints: Endpoint, read: str = "", samples: int = 300) -> Counter[str]:
    problem = HttpProblem(endpoints)
    if read:
        parameter = Parameter(Location.HEADER, read, TextGene(current="a"))
        problem.known.model.add(ASKED.key, parameter)
    rng = Random(1)
    return Counter(problem.sample(rng).calls[-1].endpoint for _ in range(samples))


def test_what_browsers_ask_beforehand_is_hardly_asked_again() -> None:
    assert 1 <= last_calls(GET, ASKED)[ASKED.key] <= 3


def test_it_is_asked_again_while_its_answer_depends_on_what_is_sent() -> None:
    assert last_calls(GET, ASKED, read="Origin")[ASKED.key] > 50


def test_an_application_that_only_answers_such_questions_is_still_searched() -> None:
    assert sum(last_calls(ASKED, samples=20).values()) == 20
