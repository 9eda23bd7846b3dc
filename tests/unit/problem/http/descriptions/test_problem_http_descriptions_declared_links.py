"""Links of an OpenAPI document feed parameters, whatever these are called."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.descriptions.declared_links import DeclaredLink
from pytest_evosearch.problem.http.descriptions.declared_links import declared_links
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

SHOW = {
    "operationId": "showOrder",
    "parameters": [{"in": "path", "name": "ref", "required": True, "schema": {"type": "integer"}}],
    "responses": {"200": {"description": "an order"}},
}


def document(link: dict[str, object]) -> dict[str, object]:
    created = {"description": "created", "links": {"show": {"$ref": "#/components/links/Show"}}}
    return {
        "openapi": "3.0.3",
        "paths": {
            "/orders": {"post": {"operationId": "make", "responses": {"201": created}}},
            "/orders/{ref}": {"get": SHOW},
        },
        "components": {"links": {"Show": link}},
    }


def links(link: dict[str, object]) -> list[DeclaredLink]:
    return list(declared_links(endpoints_from_openapi(document(link)).endpoints))


@pytest.mark.parametrize(
    "target", [{"operationId": "showOrder"}, {"operationRef": "#/paths/~1orders~1{ref}/get"}]
)
@pytest.mark.parametrize("name", ["ref", "path.ref"])
@pytest.mark.parametrize(
    ("expression", "selector"),
    [
        ("$response.body#/receipt/0/no", ("json", "receipt", 0, "no")),
        ("$response.body", ("json",)),
        ("$response.header.X-Order", ("header", "X-Order")),
    ],
)
def test_a_link_names_what_it_feeds(target, name, expression, selector) -> None:
    assert links({**target, "parameters": {name: expression}}) == [
        DeclaredLink("POST /orders", selector, "GET /orders/{ref}", Location.PATH, "ref")
    ]


@pytest.mark.parametrize(
    "link",
    [
        {"operationId": "nowhere", "parameters": {"ref": "$response.body#/no"}},
        {"operationId": "showOrder", "parameters": {"ref": "$request.path.ref"}},
        {"operationId": "showOrder", "parameters": {"ref": 5}},
        {"operationId": "showOrder", "parameters": {"other": "$response.body#/no"}},
        {"operationRef": 7, "parameters": []},
    ],
)
def test_what_cannot_be_understood_is_left_out(link) -> None:
    assert links(link) == []


def test_a_declared_link_is_a_candidate_before_anything_was_answered() -> None:
    link = {"operationId": "showOrder", "parameters": {"ref": "$response.body#/no"}}
    model = EndpointModel(endpoints_from_openapi(document(link)).endpoints)
    catalog = ProducerCatalog(model, ValuePool(), AddressBook(model))
    [candidate] = catalog.candidates("GET /orders/{ref}", Location.PATH, "ref")
    assert candidate.product.producer == "POST /orders"
    assert candidate.product.selector == ("json", "no")
