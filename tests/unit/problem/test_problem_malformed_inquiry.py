from __future__ import annotations

from pytest_evosearch.genes.records import Field
from pytest_evosearch.genes.records import ObjectGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input
from pytest_evosearch.problem.http.malformed_inquiry import MOST_VARIANTS
from pytest_evosearch.problem.http.malformed_inquiry import MalformedInquirer

BODY = {"name": "a", "tags": []}
GENE = ObjectGene((Field("name", TextGene(current="a")), Field("tags", TextGene(current="x"))))


def variants(*inputs: Input, body: object = None) -> list[Individual]:
    base = Individual((Call("POST /first", (), 1), Call("POST /items", inputs, 2)))
    act = Exchange(Request("POST", "/items", json=body), Response(200))
    return list(MalformedInquirer().tests(base, act))


def test_every_field_is_null_missing_and_of_another_type() -> None:
    found = variants(Input(Location.JSON, "", GENE), body=BODY)

    sent = [one.calls[-1].inputs[0].gene.value() for one in found]
    assert {"name": None, "tags": "x"} in sent
    assert {"tags": "x"} in sent
    assert {"name": ["evosearch"], "tags": "x"} in sent
    assert {"name": "a", "tags": "evosearch"} in sent
    assert [] in sent
    assert len(sent) == 7
    assert all(
        [call.endpoint for call in one.calls] == ["POST /first", "POST /items"] for one in found
    )


def test_inputs_of_queries_are_left_out_empty_and_texts() -> None:
    found = variants(Input(Location.QUERY, "page", IntegerGene(current=1)))

    assert [[given.gene.value() for given in one.calls[-1].inputs] for one in found] == [
        [],
        [""],
        ["evosearch"],
    ]


def test_large_bodies_are_not_asked_about_for_ever() -> None:
    fields = {f"f{number}": number for number in range(40)}
    gene = ObjectGene(tuple(Field(name, IntegerGene(current=1)) for name in fields))

    assert len(variants(Input(Location.JSON, "", gene), body=fields)) == MOST_VARIANTS
