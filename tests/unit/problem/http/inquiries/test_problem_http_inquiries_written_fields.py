from __future__ import annotations

from pytest_evosearch.core.isolation import json
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.json_object import LEFT_OUT
from pytest_evosearch.problem.http.descriptions.json_object import with_fields
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.inquiries.mass_inquiry import MassInquirer

BODY = ObjectGene((Field("kind", TextGene(current="a")), Field("stars", IntegerGene(current=3))))
CALL = Call("POST /ratings", (Input(Location.JSON, "", BODY),), 1)
BASE = Individual((CALL,))
ACT = Exchange(
    Request("POST", "/ratings", json={"kind": "a", "stars": 3}, has_json=True), Response(201)
)
BASIC = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}}}
STARS = {"properties": {"stars": {"type": "integer", "minimum": 1, "maximum": 5}}}
DOCUMENT = {
    "openapi": "3.0.3",
    "components": {"schemas": {"Basic": BASIC}},
    "paths": {
        "/ratings": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"allOf": [{"$ref": "#/components/schemas/Basic"}, STARS]}
                        }
                    }
                },
                "responses": {"201": {"description": ""}},
            }
        }
    },
}


def bodies(individual: Individual) -> list[object]:
    return [
        given.gene.value()
        for call in individual.calls
        for given in call.inputs
        if given.location is Location.JSON
    ]


def test_fields_are_set_and_left_out() -> None:
    changed = with_fields(CALL, {"stars": LEFT_OUT, "extra": True})

    assert changed is not None
    assert bodies(Individual((changed,))) == [{"kind": "a", "extra": True}]
    assert with_fields(Call("GET /ratings", (), 1), {"extra": True}) is None


def test_fields_of_a_body_are_known_through_references_and_parts() -> None:
    (endpoint,) = endpoints_from_openapi(DOCUMENT).endpoints

    assert sorted(endpoint.fields) == ["kind", "stars"]


def test_powerful_fields_that_are_shown_are_sent() -> None:
    item = "/accounts/{number}"
    endpoints = (Endpoint("GET", item, "read"), Endpoint("PUT", item, "write"))
    number = Input(Location.PATH, "number", IntegerGene(current=1))
    call = Call(f"PUT {item}", (number, *CALL.inputs), 1)
    shown = {"name": "Ada", "is_admin": False, "id": 1}
    answer = Response(200, (("Content-Type", "application/json"),), json.dumps(shown).encode())
    act = Exchange(Request("PUT", item, json={"kind": "a"}, has_json=True), answer)
    (found,) = MassInquirer(EndpointModel(endpoints)).tests(Individual((call,)), act, {})

    assert [one.endpoint for one in found.calls] == [f"GET {item}", f"PUT {item}", f"GET {item}"]
    assert bodies(found) == [{"kind": "a", "stars": 3, "is_admin": True}]
