from __future__ import annotations

from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.problem.http.descriptions.schema import described_endpoints
from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.descriptions.united_documents import in_one_namespace
from pytest_evosearch.problem.http.descriptions.united_documents import union
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint

BOOK = {"type": "object", "properties": {"title": {"type": "string"}}}
PEN = {"type": "object", "properties": {"colour": {"type": "string"}}}


def taking(path: str, schema: object, base: str = "", version: str = "3.0.0") -> dict:
    """A document with one operation, whose body and answer are of a schema called Item."""
    item = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}}
    return {
        "openapi": version,
        "servers": [{"url": base}],
        "paths": {path: {"post": {"requestBody": item, "responses": {"200": item}}}},
        "components": {"schemas": {"Item": schema}},
    }


def fields_of(endpoint: Endpoint) -> list[str]:
    (body,) = (one.gene for one in endpoint.parameters if one.location.value == "json")
    return [field.name for field in body.fields]


ROUTES = [Endpoint("POST", "/v1/items", "one"), Endpoint("POST", "/v2/items", "two")]


def test_documents_of_two_apis_describe_both() -> None:
    found = described_endpoints(
        ROUTES, [taking("/items", BOOK, "/v1"), taking("/items", PEN, "/v2")]
    )

    one, two = found.endpoints
    assert fields_of(one) == ["title"]
    assert fields_of(two) == ["colour"]
    assert one.operation["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Item"
    }
    assert two.operation["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Item-2"
    }
    assert found.document is not None
    assert found.document["components"]["schemas"] == {"Item": BOOK, "Item-2": PEN}


def test_what_is_the_same_keeps_its_name() -> None:
    documents = [taking("/a", BOOK), taking("/b", BOOK)]
    assert in_one_namespace(documents) == documents
    assert union(documents)["components"] == {"schemas": {"Item": BOOK}}


def test_a_taken_name_is_not_taken_again() -> None:
    third = taking("/c", {"type": "string"})
    renamed = in_one_namespace([taking("/a", BOOK), taking("/b", PEN), third])
    assert list(renamed[2]["components"]["schemas"]) == ["Item-3"]
    assert list(third["components"]["schemas"]) == ["Item"]


def test_discriminators_and_references_into_schemas_follow() -> None:
    second = taking("/b", PEN)
    second["components"]["schemas"]["Other"] = {
        "discriminator": {"propertyName": "kind", "mapping": {"i": "#/components/schemas/Item"}},
        "properties": {"c": {"$ref": "#/components/schemas/Item/properties/colour"}},
    }
    other = in_one_namespace([taking("/a", BOOK), second])[1]["components"]["schemas"]["Other"]
    assert other["discriminator"]["mapping"] == {"i": "#/components/schemas/Item-2"}
    assert other["properties"]["c"] == {"$ref": "#/components/schemas/Item-2/properties/colour"}


def test_another_dialect_tells_values_and_promises_nothing() -> None:
    """One document has one dialect; a promise read in another would be a false one."""
    modern = taking("/items", PEN, "/v2", version="3.1.0")
    one, two = described_endpoints(ROUTES, [taking("/items", BOOK, "/v1"), modern]).endpoints
    assert one.operation
    assert fields_of(two) == ["colour"]
    assert not two.operation
    assert not two.statuses


def test_a_later_document_adds_no_endpoints() -> None:
    """Only the first may describe what lies outside of the routes."""
    elsewhere = taking("/elsewhere", PEN)
    found = described_endpoints(ROUTES, [taking("/items", BOOK, "/v1"), elsewhere])
    assert [endpoint.template for endpoint in found.endpoints] == ["/v1/items", "/v2/items"]


def test_paths_that_fill_placeholders_tell_values() -> None:
    """As where a document describes each collection, and one route serves them all."""
    routes = [
        Endpoint("GET", template, template)
        for template in ("/shelves/{shelf}", "/shelves/{shelf}/{book}", "/shelves/new", "/about")
    ]
    written = ("/shelves/red", "/shelves/new", "/shelves/blue/{id}", "/shelves/red/1", "/other/1")
    described = [taking(path, BOOK) for path in (*written, "/shelves/{name}")]

    found = described_endpoints(routes, described)

    assert found.values == (("shelf", "red"), ("shelf", "blue"), ("book", "1"))


def test_without_documents_the_routes_stay() -> None:
    assert described_endpoints(ROUTES, []) == (tuple(ROUTES), [], None, ())


def test_parameters_with_a_media_type_are_written_as_json() -> None:
    schema = {"type": "object", "properties": {"page": {"type": "integer", "minimum": 2}}}
    content = {"application/json": {"schema": schema}}
    q = {"name": "q", "in": "query", "content": content}
    document = {"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": [q]}}}}

    (parameter,) = endpoints_from_openapi(document).endpoints[0].parameters

    assert parameter.name == "q"
    assert isinstance(parameter.gene, EncodedGene)
    assert parameter.gene.value() == '{"page":2}'
