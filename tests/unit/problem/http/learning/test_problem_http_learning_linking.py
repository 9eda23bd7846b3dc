"""What a later call takes over from earlier calls of its test."""

from __future__ import annotations

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.scalars import IntegerGene
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
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.http_problem import HttpProblem

STEPS = EnumGene(options=("pay", "return", "send"))
NUMBER = Parameter(Location.PATH, "id", IntegerGene(), True)
ENDPOINTS = (
    Endpoint("POST", "/orders", "create"),
    Endpoint(
        "POST", "/orders/{id}/{step}", "step", (NUMBER, Parameter(Location.PATH, "step", STEPS))
    ),
)
CREATE, STEP = "POST /orders", "POST /orders/{id}/{step}"


def stepping(number: int, step: int, label: int) -> Call:
    given = (
        Input(Location.PATH, "id", IntegerGene(current=number)),
        Input(Location.PATH, "step", EnumGene(STEPS.options, step)),
    )
    return Call(STEP, given, label)


def connected(earlier: list[Call], call: Call) -> list[Call]:
    problem = HttpProblem(ENDPOINTS)
    created = Response(201, (("Content-Type", "application/json"),), b'{"id": 41}')
    test = Individual((Call(CREATE, (), 1),))
    exchange = Exchange(Request("POST", "/orders"), created)
    problem.learn(Evaluation(test, {}, (1, 0), Observation(test, (exchange,))))
    rng = Random(1)
    return [problem.known.linker.connected(call, earlier, rng) for _ in range(40)]


def test_what_is_done_to_a_resource_is_not_taken_over_and_the_resource_is() -> None:
    found = connected([stepping(7, 0, 1)], stepping(3, 2, 2))
    assert {one.inputs[1].gene.value() for one in found} == {"send"}
    assert sum(one.inputs[0].gene.value() == 7 for one in found) > 30


def test_what_was_created_replaces_a_value_that_was_made_up_before() -> None:
    earlier = [stepping(7, 0, 1), Call(CREATE, (), 2)]
    found = [link_of(one.inputs[0].gene) for one in connected(earlier, stepping(3, 2, 3))]
    assert sum(link is not None and link.label == 2 for link in found) > 30
