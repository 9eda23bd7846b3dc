"""Calls and inputs that change nothing in an answer, with handlers in this module."""

from __future__ import annotations

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.harvest.arranging.vain_parts import without_vain_parts
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

CREATED = TargetId("line shop.py:1")
DISCOUNTED = TargetId("branch shop.py:2 found")
CHEAP = TargetId("branch shop.py:3 true")


def order(status: int = 201, **given: object) -> Call:
    inputs = [Input(Location.JSON, name, gene_for(value)) for name, value in given.items()]
    return Call(f"POST /orders/{status}", tuple(inputs), 1)


NOISE = Call("GET /noise", (), 2)


def execute(individual: Individual) -> FullEvaluation[Individual]:
    """Answer with the quantity alone; a refusal says the same of everything."""
    exchanges = []
    covered = []
    for call in individual.calls:
        given = {one.name: one.gene.value() for one in call.inputs}
        method, path = call.endpoint.split(" ")
        kept = sum(one.request.method == "POST" for one in exchanges)
        kept -= sum(one.request.method == "DELETE" and one.status == 200 for one in exchanges)
        status = int(path.rpartition("/")[2]) if method == "POST" else 200
        if path == "/orders/1" and not kept:
            status = 404
        if path == "/denied":
            status = 401
        body = f"quantity: {given.get('quantity', 1)}" if status < 400 else "refused"
        exchanges.append(Exchange(Request(method, path), Response(status, (), body.encode())))
        reached = {CREATED}
        reached |= {DISCOUNTED} if "discount" in given else set()
        reached |= {CHEAP} if "price" in given else set()
        covered.append(frozenset(reached))
    observation = Observation(individual, tuple(exchanges), (), ())
    evaluation = Evaluation(individual, {}, (1, 0), observation)
    return FullEvaluation(evaluation, tuple(covered))


def shortened(*calls: Call, duty: tuple[TargetId, ...] = (CREATED,)) -> list[list[str]]:
    """Return the names of the inputs of each remaining call."""
    found = without_vain_parts(execute(Individual(calls)), frozenset(duty), execute, lambda: False)
    return [[one.name for one in call.inputs] for call in found.evaluation.individual]


def test_an_input_without_effect_goes_although_a_lookup_needs_it() -> None:
    assert shortened(order(discount=""), duty=(CREATED, DISCOUNTED)) == [[]]


def test_an_input_that_the_answer_shows_stays() -> None:
    assert shortened(order(discount="", quantity=2)) == [["quantity"]]


def test_an_input_that_a_branch_needs_stays() -> None:
    assert shortened(order(price=2), duty=(CREATED, CHEAP)) == [["price"]]


def test_whole_calls_without_effect_go() -> None:
    assert shortened(NOISE, order(quantity=2)) == [["quantity"]]


def test_of_a_refusal_the_body_stays() -> None:
    assert shortened(NOISE, order(400, discount="")) == [["discount"]]


def test_a_form_stays_as_a_page_sends_it_but_a_query_goes() -> None:
    form = Input(Location.FORM, "name", gene_for("a"))
    query = Input(Location.QUERY, "page", gene_for("1"))

    assert shortened(Call("POST /orders/201", (form, query), 1)) == [["name"]]


def test_calls_before_a_read_that_is_refused_anyway_go() -> None:
    assert shortened(order(), Call("GET /denied", (), 2)) == [[]]


def test_calls_stay_whose_effect_a_refused_read_shows() -> None:
    delete, read = Call("DELETE /orders/1", (), 2), Call("GET /orders/1", (), 3)

    assert shortened(order(), delete, read) == [[], [], []]
