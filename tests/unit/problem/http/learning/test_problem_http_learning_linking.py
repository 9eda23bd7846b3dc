"""What a later call takes over from earlier calls of its test."""

from __future__ import annotations

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
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
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.links import LinkGene
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


def connected(
    earlier: list[Call],
    call: Call,
    endpoints: tuple[Endpoint, ...] = ENDPOINTS,
    sent: object = None,
    answered: bytes = b'{"id": 41}',
) -> list[Call]:
    problem = HttpProblem(endpoints)
    created = Response(201, (("Content-Type", "application/json"),), answered)
    test = Individual((Call(CREATE, (), 1),))
    exchange = Exchange(Request("POST", "/orders", json=sent, has_json=True), created)
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


def test_a_number_in_an_address_is_the_id_of_its_resource_whatever_it_is_called() -> None:
    place = Parameter(Location.PATH, "nr", IntegerGene(), True)
    endpoints = (ENDPOINTS[0], Endpoint("GET", "/orders/{nr}", "show", (place,)))
    call = Call("GET /orders/{nr}", (Input(Location.PATH, "nr", IntegerGene()),), 2)
    for answered in (b'{"id": 41}', b'{"order_id": "41"}'):
        calls = connected([Call(CREATE, (), 1)], call, endpoints, answered=answered)
        assert sum(link_of(one.inputs[0].gene) is not None for one in calls) > 30
    for answered in (b'{"id": "x41"}', b'{"customer_id": 41}', b'{"total": 41}'):
        calls = connected([Call(CREATE, (), 1)], call, endpoints, answered=answered)
        assert {link_of(one.inputs[0].gene) for one in calls} == {None}


def test_a_newer_resource_is_used_as_often_as_the_one_that_was_used_before() -> None:
    used = stepping(7, 0, 2)
    link = LinkGene(1, ("json", "id"), IntegerGene())
    used = used.with_input(used.inputs[0].with_gene(link))
    earlier = [Call(CREATE, (), 1), used, Call(CREATE, (), 3)]
    labels = [link_of(one.inputs[0].gene) for one in connected(earlier, stepping(3, 2, 4))]
    newer = sum(one is not None and one.label == 3 for one in labels)
    assert 5 < newer < 35
    labels = [link_of(one.inputs[0].gene) for one in connected(earlier[:2], stepping(3, 2, 4))]
    assert {one.label for one in labels if one is not None} == {1}


def test_what_a_call_has_sent_itself_is_not_linked_to_its_next_call() -> None:
    body = ObjectGene(
        (Field("article", TextGene(current="pen")), Field("code", TextGene(current="a")))
    )
    call = Call(CREATE, (Input(Location.JSON, "", body),), 2)
    answered = b'{"article": "ink", "code": "b7"}'
    calls = connected(
        [Call(CREATE, (), 1)], call, ENDPOINTS, {"article": "ink", "code": "a"}, answered
    )
    values = [one.inputs[0].gene.value() for one in calls]
    assert {one["article"] for one in values} == {"pen"}
    assert any(isinstance(one["code"], Link) for one in values)
