from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.freezes import FreezeStatistics

FROZEN = Exchange(Request("POST", "/slow"), None, frozen=True)
ANSWERED = Exchange(Request("POST", "/slow"), Response(200))
ENDPOINTS = [Endpoint("POST", path, path[1:]) for path in ("/slow", "/a", "/b", "/c")]


@pytest.mark.parametrize("slow", [FROZEN, replace(ANSWERED, late=True)], ids=["frozen", "late"])
def test_endpoint_that_froze_is_drawn_rarely_until_it_answers(slow: Exchange) -> None:
    freezes = FreezeStatistics()
    assert freezes.weight("POST /slow") == 1.0
    freezes.learn(slow)
    once = freezes.weight("POST /slow")
    freezes.learn(slow)
    assert 0 < freezes.weight("POST /slow") < once < 0.1
    for _ in range(1000):
        freezes.learn(ANSWERED)
    assert freezes.weight("POST /slow") > 0.9


def test_draws_are_those_of_a_plain_choice_while_nothing_froze() -> None:
    keys = [endpoint.key for endpoint in ENDPOINTS]
    freezes = FreezeStatistics()
    freezes.learn(ANSWERED)
    drawn = [freezes.choose(keys, Random(seed)) for seed in range(20)]
    assert drawn == [Random(seed).choice(keys) for seed in range(20)]


def calls_of(problem: HttpProblem, tests: int) -> Counter[str]:
    """Sample and mutate tests, whose calls to /slow never end."""
    rng, calls = Random(1), Counter[str]()
    individual = Individual(())
    for number in range(tests):
        varied = number % 2 and len(individual)
        individual = problem.mutate(individual, rng) if varied else problem.sample(rng)
        exchanges = tuple(
            FROZEN
            if call.endpoint == "POST /slow"
            else Exchange(Request("POST", call.endpoint[5:]), Response(200))
            for call in individual.calls
        )
        problem.learn(Evaluation(individual, {}, (1, 0), Observation(individual, exchanges)))
        calls.update(exchange.request.endpoint for exchange in exchanges)
    return calls


def test_search_keeps_away_from_an_endpoint_that_hangs() -> None:
    calls = calls_of(HttpProblem(ENDPOINTS), 300)
    others = [calls[endpoint.key] for endpoint in ENDPOINTS[1:]]
    assert calls["POST /slow"] * 10 < min(others)
    assert calls["POST /slow"] >= 2
