"""Hints come from values of the application, which may be anything, and never raise."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.http_problem import HttpProblem

scalars = (
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.sampled_from([10**5000, Decimal("sNaN"), date.max, date.min, "", "a", b"a"])
    | strategies.floats()
    | strategies.text(max_size=6)
    | strategies.binary(max_size=4)
    | strategies.dates()
    | strategies.datetimes()
    | strategies.decimals()
    | strategies.uuids()
)
operands = scalars | strategies.tuples(scalars, scalars)
RELATIONS = (
    "== != < <= > >= in key is match fullmatch parse isinstance startswith endswith "
    "isdigit isalpha contains something"
)
relations = strategies.sampled_from(RELATIONS.split())
sent = strategies.text(max_size=6) | strategies.integers() | strategies.floats()
TARGET = "branch x.py:1 true"


@settings(max_examples=120, deadline=None)
@given(relations, operands, operands, sent, strategies.sampled_from(list(Location)))
def test_any_comparison_can_be_learnt_from(relation, observed, wanted, value, location):
    endpoint = Endpoint("POST", "/x/{n}", "x")
    problem = HttpProblem([endpoint])
    individual = Individual((Call(endpoint.key, (Input(location, "n", ConstantGene(value)),), 1),))
    exchange = Exchange(Request("POST", "/x/{n}", {"n": value}), Response(200))
    comparisons = [Comparison(TARGET, relation, observed, wanted)]
    observation = Observation(individual, (exchange,), comparisons)
    problem.learn(Evaluation(individual, {TARGET: 0.5}, (1, 1), observation))
    rng = Random(1)
    for _ in range(6):
        mutant = problem.mutate(individual, rng, TARGET)
        assert len(mutant) >= 1
        for given_input in mutant.calls[0].inputs:
            given_input.gene.value()
