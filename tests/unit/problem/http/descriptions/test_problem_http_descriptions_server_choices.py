from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.server_choices import fields_left_to_server
from pytest_evosearch.problem.http.descriptions.server_choices import leaves_something
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.filling.pool import ValuePool


def body(*names: str) -> Gene:
    gene: Gene | None = None
    for name in names:
        gene = with_leaf(gene, (name,), TextGene(current="a"))
    assert gene is not None
    return gene


def posted(*names: str, method: str = "POST") -> Endpoint:
    parameter = Parameter(Location.JSON, "", body(*names))
    return Endpoint(method, "/news", "create", (parameter,))


@pytest.mark.parametrize("name", ["id", "newsId", "creationTime", "created_at", "updated", "uuid"])
def test_identifiers_and_moments_are_left_to_the_server(name: str) -> None:
    assert fields_left_to_server("POST /news", body("text", name)) == {name}


@pytest.mark.parametrize("name", ["authorId", "text", "date", "creator", "valid", "created_by"])
def test_what_only_the_sender_knows_is_not(name: str) -> None:
    assert not fields_left_to_server("POST /news", body("text", name))


def test_only_what_creates_something_leaves_anything() -> None:
    assert leaves_something(posted("id", "text"))
    assert not leaves_something(posted("text"))
    assert not leaves_something(posted("id", "text", method="PUT"))


def test_a_fresh_body_is_full_but_for_what_the_server_chooses() -> None:
    endpoint = posted("id", "authorId", "text", "creationTime")
    maker = CallMaker(EndpointModel([endpoint]), ValuePool())

    (given,) = maker.make("POST /news", Random(1), 1, None, Fullness.FRESH).inputs

    assert given.gene.value() == {"authorId": "a", "text": "a"}


def test_a_fresh_body_is_never_a_text() -> None:
    endpoint = posted("id", "text")
    raw = Parameter(Location.TEXT, "", TextGene(current="a"), source="guess")
    model = EndpointModel([replace(endpoint, parameters=(raw, *endpoint.parameters))])
    maker, rng = CallMaker(model, ValuePool()), Random(1)

    for _ in range(30):
        (given,) = maker.make("POST /news", rng, 1, None, Fullness.FRESH).inputs
        assert given.location is Location.JSON


def test_a_fresh_form_is_full_but_for_what_the_server_chooses() -> None:
    fields = [Parameter(Location.FORM, name, TextGene(current="a")) for name in ("id", "text")]
    endpoint = Endpoint("POST", "/news", "create", tuple(fields))
    maker = CallMaker(EndpointModel([endpoint]), ValuePool())

    call = maker.make("POST /news", Random(1), 1, None, Fullness.FRESH)

    assert [given.name for given in call.inputs] == ["text"]
