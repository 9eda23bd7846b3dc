"""Extremes that are stored, and things that are removed before they are asked for."""

from __future__ import annotations

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import EXTREMES
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import DisturbedInquirer
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import removals
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import stores_first

BODY = ObjectGene(
    (
        Field("name", TextGene(current="a")),
        Field("size", IntegerGene(current=3)),
        Field.optional("born", DateGene(), active=False),
    )
)
MODEL = EndpointModel(
    [
        Endpoint("POST", "/users", "create", (Parameter(Location.JSON, "", BODY),)),
        Endpoint("POST", "/visits", "visit"),
        Endpoint("GET", "/users/{user_id}", "show"),
        Endpoint("DELETE", "/users/{user_id}", "delete"),
        Endpoint("PUT", "/carts/{user_id}", "fill"),
    ]
)
INQUIRER = DisturbedInquirer(MODEL)


def path(gene: Gene) -> Input:
    return Input(Location.PATH, "user_id", gene)


CREATE = Call("POST /users", (Input(Location.JSON, "", BODY),), 1)
LINKED = path(LinkGene(1, ("json", "id"), IntegerGene(current=1)))
SHOW = Call("GET /users/{user_id}", (LINKED,), 2)


def body_of(test: Individual | None) -> object:
    assert test is not None
    return test.calls[0].inputs[0].gene.value()


def test_what_is_stored_gets_an_extreme_also_where_it_was_left_out() -> None:
    leap, zero, negative, _last = (
        INQUIRER.with_extremes(Individual((CREATE, SHOW)), extreme) for extreme in EXTREMES
    )

    assert body_of(leap) == {"name": "a", "size": 3, "born": "2024-02-29"}
    assert body_of(zero) == {"name": "a", "size": 0}
    assert body_of(negative) == {"name": "a", "size": -1}
    assert leap is not None
    assert leap.calls[1] == SHOW


def test_what_other_tests_send_tells_the_kind_of_a_field() -> None:
    moved = ObjectGene((Field("name", TextGene(current="2020-01-31")),))
    other = Call("POST /users", (Input(Location.JSON, "", moved),), 1)
    inquirer = DisturbedInquirer(MODEL, [Individual((other,))])

    test = inquirer.with_extremes(Individual((CREATE, SHOW)), EXTREMES[0])

    assert body_of(test) == {"name": "2024-02-29", "size": 3, "born": "2024-02-29"}


def test_truth_values_are_no_numbers() -> None:
    assert [extreme(truth) for extreme in EXTREMES for truth in (True, False)] == [None] * 8


def form(**fields: Gene) -> Call:
    return Call(
        "POST /visits", tuple(Input(Location.FORM, name, gene) for name, gene in fields.items()), 1
    )


def test_moments_keep_their_time_and_texts_of_digits_stay_texts() -> None:
    moment = DateTimeGene(current="2020-05-06T07:08:09Z")
    visit = form(at=moment, count=TextGene(current="12"), name=TextGene(current="1 a"))
    test = Individual((visit, SHOW))

    leap, zero = (INQUIRER.with_extremes(test, extreme) for extreme in EXTREMES[:2])

    assert leap is not None
    assert zero is not None
    assert [one.gene.value() for one in leap.calls[0].inputs] == [
        "2024-02-29T07:08:09Z",
        "12",
        "1 a",
    ]
    assert [one.gene.value() for one in zero.calls[0].inputs] == [
        "2020-05-06T07:08:09Z",
        "0",
        "1 a",
    ]


@pytest.mark.parametrize("calls", [(SHOW, SHOW), (SHOW, CREATE)])
def test_what_reads_first_stores_nothing(calls: tuple[Call, ...]) -> None:
    assert not stores_first(Individual(calls))
    assert INQUIRER.with_extremes(Individual(calls), EXTREMES[0]) is None


def test_what_an_earlier_call_names_is_removed_before_the_last_one() -> None:
    fill = Call("PUT /carts/{user_id}", (path(IntegerGene(current=7)),), 2)
    delete = Call("DELETE /users/{user_id}", (path(IntegerGene(current=1)),), 1, "root")
    look = Call("GET /users/{user_id}", (LINKED,), 3)
    [removal] = removals([Individual((look,)), Individual((delete,))])

    test = INQUIRER.with_removal(Individual((CREATE, fill, look)), removal)

    assert test is not None
    assert [call.endpoint for call in test.calls] == [
        "POST /users",
        "PUT /carts/{user_id}",
        "DELETE /users/{user_id}",
        "GET /users/{user_id}",
    ]
    assert test.calls[2].inputs[0].gene.value() == 7
    assert test.calls[2].user == "root"
    assert test.calls[3] == look
    assert len({call.label for call in test.calls}) == 4


def test_nothing_is_removed_that_no_earlier_call_names_or_that_is_gone() -> None:
    delete = Call("DELETE /users/{user_id}", (LINKED,), 2)
    removal = Individual((delete,))

    assert INQUIRER.with_removal(Individual((CREATE, SHOW)), removal) is None
    assert INQUIRER.with_removal(Individual((CREATE, delete, SHOW)), removal) is None
