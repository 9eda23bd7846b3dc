"""GraphQL: operations of a schema become endpoints, their texts, what answers amount to."""

from __future__ import annotations

import json
from random import Random

import pytest
from graphql import build_schema
from graphql import parse
from graphql import validate
from graphql.utilities import introspection_from_schema

from pytest_evosearch.problem.http.composing.examples import ExampleCall
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.seeding import individuals_from
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.descriptions.graphql_schema import operations_of
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.graphql_answers import meaning_of
from pytest_evosearch.problem.http.exchanges.graphql_documents import coordinate_in
from pytest_evosearch.problem.http.exchanges.graphql_gene import OperationGene
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

SCHEMA = build_schema(
    """
    scalar Date
    interface Node { id: ID! }
    enum Size { SMALL LARGE }
    type Pet implements Node {
      id: ID! name: String! born: Date owner: Person tagged(by: ID!): Boolean
    }
    type Person implements Node { id: ID! name: Int pets: [Pet!]! }
    type PetEdge { node: Pet cursor: String! }
    type PetConnection { edges: [PetEdge] }
    type PetPayload { ok: Boolean! pet: Pet }
    union Found = Pet | Person
    input Place { city: String! inside: Place }
    input PetInput { name: String! size: Size = SMALL born: Date places: [Place!] }
    type Query {
      count: Int!
      pet(id: ID!): Pet
      pets(size: Size, first: Int = 3): PetConnection!
      search(text: String): [Found!]
      node(id: ID!): Node
    }
    type Mutation { addPet(pet: PetInput!): PetPayload! deletePet(petId: ID!): Boolean }
    """
)
OPERATIONS = {
    one.template: one
    for one in operations_of(
        introspection_from_schema(SCHEMA)["__schema"], Endpoint("POST", "/graphql", "serve")
    )
}


def gene_of(operation: str) -> OperationGene:
    gene = OPERATIONS[f"/graphql#{operation}"].parameters[0].gene
    assert isinstance(gene, OperationGene)
    return gene


def test_each_field_of_queries_and_mutations_is_an_endpoint() -> None:
    assert [template.partition("#")[2] for template in OPERATIONS] == [
        "query.count",
        "query.pet",
        "query.pets",
        "query.search",
        "query.node",
        "mutation.addPet",
        "mutation.deletePet",
    ]
    assert is_safe("POST /graphql#query.pet")
    assert not is_safe("POST /graphql#mutation.addPet")


@pytest.mark.parametrize(
    ("operation", "plainest", "widest"),
    [
        ("query.count", "{ count }", "{ count }"),
        (
            "query.pet",
            "query ($id: ID!) { pet(id: $id) { id name born } }",
            "query ($id: ID!) { pet(id: $id) { id name born owner { id name } } }",
        ),
        (
            "query.search",
            (
                "query ($text: String) { search(text: $text) { __typename"
                " ... on Pet { id name born } ... on Person { id } } }"
            ),
            None,
        ),
        (
            "mutation.addPet",
            "mutation ($pet: PetInput!) { addPet(pet: $pet) { ok pet { id name born } } }",
            None,
        ),
        ("mutation.deletePet", "mutation ($petId: ID!) { deletePet(petId: $petId) }", None),
    ],
)
def test_documents_ask_for_values_then_for_the_objects_inside(
    operation: str, plainest: str, widest: str | None
) -> None:
    made = gene_of(operation).operation
    sent = [argument.name for argument in made.arguments]
    assert made.document(0, sent) == plainest
    assert widest is None or made.document(len(made.selections) - 1, sent) == widest


def test_whatever_is_drawn_fits_the_schema_but_for_custom_scalars() -> None:
    rng = Random(3)
    for endpoint in OPERATIONS.values():
        gene = endpoint.parameters[0].gene
        for _ in range(20):
            gene = gene.sample(rng)
            body = gene.value()
            assert isinstance(body, dict)
            assert validate(SCHEMA, parse(body["query"])) == []
            assert body["query"].count("$") == 2 * len(body.get("variables", {}))


def test_only_variables_that_are_sent_are_declared() -> None:
    gene = gene_of("query.pets").adopt({"query": "{ pets { edges { node { id } } } }"})
    assert gene is not None
    assert gene.value() == {"query": "{ pets { edges { node { id } } } }"}
    simpler = next(gene.simpler())
    assert simpler.value()["query"].startswith("{ pets { edges { cursor node { id name born")


def test_a_body_is_adopted_by_its_own_operation_only() -> None:
    gene = gene_of("query.pet")
    own = {"query": gene.operation.document(0, ["id"]), "variables": {"id": "x"}}
    adopted = gene.adopt(own)
    assert isinstance(adopted, OperationGene)
    assert adopted.value() == own
    assert (adopted.selection, adopted.document) == (0, "")
    assert gene_of("query.count").adopt(own) is None


def test_a_test_of_the_project_is_read_as_the_operation_that_it_asks_for() -> None:
    model = EndpointModel((Endpoint("POST", "/graphql", "serve"), *OPERATIONS.values()))
    own = {"query": "query Mine($id: ID!) { pet(id: $id) { name } }", "variables": {"id": "7"}}
    sent = ({"json": own}, {"json": {"query": "nonsense"}})
    calls = tuple(ExampleCall("POST", "/graphql", options) for options in sent)
    (individual,) = individuals_from([ExampleTest("test_own", calls)], model, 5)
    assert [call.endpoint for call in individual.calls] == [
        "POST /graphql#query.pet",
        "POST /graphql",
    ]
    assert individual.calls[0].inputs[0].gene.value() == own


@pytest.mark.parametrize(
    ("document", "coordinate"),
    [
        ("{ pets { id } }", "query.pets"),
        ("query Mine($a: [Int!] = [1]) { mine: pet(id: $a) { id } }", "query.pet"),
        ("\n  mutation {\n  addPet(pet: {}) }", "mutation.addPet"),
        ("subscription { x }", ""),
        ("nonsense", ""),
    ],
)
def test_the_operation_of_a_document_is_its_first_field(document: str, coordinate: str) -> None:
    assert coordinate_in(document) == coordinate


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        ({"data": {"a": 1}}, 200, (0, True)),
        ({"data": {"a": None}}, 200, (404, True)),
        ({"data": {"b": None}}, 200, (0, True)),
        ({"data": {"a": {"errors": [], "success": True}}}, 200, (0, True)),
        ({"data": {"a": {"errors": ["x"]}}}, 200, (400, True)),
        ({"data": {"a": {"ok": False}}}, 200, (400, True)),
        ({"errors": [{"message": "m", "path": ["a"]}], "data": None}, 200, (400, True)),
        ({"errors": [{"message": "m", "path": ["a"]}], "data": None}, 500, (0, True)),
        ({"errors": [{"message": "m"}], "data": {"a": None}}, 200, (400, True)),
        ({"errors": [{"message": "Unknown argument"}], "data": None}, 200, (400, False)),
        ({"errors": [{"message": "Unknown argument"}]}, 400, (0, False)),
        ({"message": "who are you?"}, 401, (0, False)),
        (["data"], 200, (0, False)),
    ],
)
def test_errors_amount_to_a_refusal_and_those_of_the_request_reach_nobody(
    body: object, status: int, expected: tuple[int, bool]
) -> None:
    headers = (("Content-Type", "application/json"),)
    answer = Response(status, headers, json.dumps(body).encode())
    assert meaning_of(answer, "query.a") == expected


def test_a_mutation_may_give_nothing() -> None:
    answer = Response(200, (("Content-Type", "application/json"),), b'{"data": {"a": null}}')
    assert meaning_of(answer, "mutation.a") == (0, True)


def test_a_page_is_no_answer_of_graphql() -> None:
    page = Response(200, (("Content-Type", "text/html"),), b"<html>")
    assert meaning_of(page, "query.a") == (0, False)
    assert meaning_of(None, "query.a") == (0, False)


def test_ids_flow_from_what_is_made_to_what_asks_for_it() -> None:
    model = EndpointModel(OPERATIONS.values())
    catalog = ProducerCatalog(model, ValuePool(), AddressBook(model))
    made = {"addPet": {"ok": True, "pet": {"id": "5", "owner": {"id": "9"}}}}
    answer = Response(
        200, (("Content-Type", "application/json"),), json.dumps({"data": made}).encode()
    )
    catalog.learn(Exchange(Request("POST", "/graphql#mutation.addPet"), answer))
    for key, name in (("query.pet", "id"), ("mutation.deletePet", "petId")):
        found = catalog.candidates(f"POST /graphql#{key}", Location.JSON, name)
        best = max(found, key=lambda one: one.weight)
        assert best.product.selector == ("json", "data", "addPet", "pet", "id")
        assert [one.weight < best.weight for one in found].count(True) == len(found) - 1


def test_operations_about_the_same_thing_belong_together() -> None:
    resources = Resources(OPERATIONS.values())
    assert resources.creators("POST /graphql#query.pet") == ["POST /graphql#mutation.addPet"]
    assert "POST /graphql#mutation.deletePet" in resources.siblings("POST /graphql#query.pets")
    assert resources.siblings("POST /graphql#query.count") == []


def test_the_payload_of_an_operation_are_its_variables() -> None:
    def payload(template: str, variables: object) -> object:
        body = {"query": "...", "variables": variables}
        return Request("POST", template, json=body, has_json=True).payload

    assert payload("/graphql#query.pet", {"id": 1, "size": "LARGE"}) == {"id": 1, "size": "LARGE"}
    assert payload("/graphql#mutation.addPet", {"pet": {"name": "a"}}) == {"name": "a"}
    assert payload("/graphql#query.count", None) == {}
    assert payload("/other", {"a": 1}) == {"query": "...", "variables": {"a": 1}}
    assert Request("POST", "/graphql#query.count", json={"query": "{ count }"}).document
    assert not Request("POST", "/other", json={"query": "{ count }"}).document
