from __future__ import annotations

import copy

import pytest

from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import FileGene
from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.descriptions.schema import merge_schema
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter

SWAGGER = {
    "swagger": "2.0",
    "basePath": "/v1/",
    "consumes": ["application/json"],
    "definitions": {
        "Pet": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        }
    },
    "parameters": {"page": {"name": "page", "in": "query", "type": "integer", "default": 1}},
    "paths": {
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "type": "integer", "required": True}],
            "get": {
                "operationId": "show",
                "summary": "Show a pet",
                "responses": {"200": {}, 404: {}, "default": {}, "5XX": {}},
            },
            "put": {
                "parameters": [
                    {"name": "id", "in": "path", "type": "string", "format": "uuid"},
                    {"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}},
                ]
            },
        },
        "/pets": {
            "get": {
                "parameters": [
                    {"$ref": "#/parameters/page"},
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                    {
                        "name": "ids",
                        "in": "query",
                        "type": "array",
                        "collectionFormat": "multi",
                        "items": {"type": "integer"},
                    },
                    {"name": "X-Trace", "in": "header", "type": "boolean"},
                    {"name": "Authorization", "in": "header", "type": "string"},
                ]
            },
            "post": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "photo", "in": "formData", "type": "file", "required": True},
                    {"name": "caption", "in": "formData", "type": "string"},
                ],
            },
        },
    },
}

OPENAPI = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://{host}/{base}", "variables": {"base": {"default": "api"}}}],
    "components": {
        "requestBodies": {
            "Order": {
                "required": True,
                "content": {
                    "application/problem+json": {
                        "schema": {"properties": {"id": {"type": "integer"}}},
                        "examples": {"one": {"value": {"id": 17}}},
                    },
                    "application/x-www-form-urlencoded": {
                        "schema": {
                            "required": ["id"],
                            "properties": {"id": {"type": "integer"}, "note": {"type": "string"}},
                        }
                    },
                },
            }
        }
    },
    "paths": {
        "/orders": {
            "post": {"requestBody": {"$ref": "#/components/requestBodies/Order"}},
            "get": {
                "parameters": [
                    {
                        "name": "status",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "string"}},
                        "example": ["open", "paid"],
                    },
                    {
                        "name": "filter",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"properties": {"from": {"type": "string", "format": "date"}}},
                    },
                    {"name": "sort", "in": "query", "content": {"application/json": {}}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ]
            },
        },
        "/orders/{order}/scan": {
            "put": {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "properties": {
                                    "page": {"type": "string", "format": "binary"},
                                    "pages": {
                                        "type": "array",
                                        "items": {"type": "string", "format": "binary"},
                                    },
                                    "title": {"type": "string"},
                                }
                            }
                        }
                    }
                }
            }
        },
        "/notes": {
            "servers": [{"url": "/"}],
            "post": {
                "requestBody": {
                    "content": {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}
                }
            },
        },
    },
}


def read(document: object) -> dict[str, Endpoint]:
    endpoints, notices = endpoints_from_openapi(document)
    assert notices == []
    return {endpoint.key: endpoint for endpoint in endpoints}


def by_key(endpoint: Endpoint) -> dict[str, Parameter]:
    return {f"{given.location.value} {given.name}": given for given in endpoint.parameters}


def test_swagger_templates_have_the_base_path() -> None:
    assert list(read(SWAGGER)) == [
        "GET /v1/pets/{id}",
        "PUT /v1/pets/{id}",
        "GET /v1/pets",
        "POST /v1/pets",
    ]


def test_operations_carry_their_name_statuses_and_summary() -> None:
    endpoint = read(SWAGGER)["GET /v1/pets/{id}"]
    assert (endpoint.name, endpoint.statuses, endpoint.summary) == (
        "show",
        (200, 404),
        "Show a pet",
    )
    assert endpoint.parameters == (
        Parameter(Location.PATH, "id", IntegerGene(current=1), True, "schema"),
    )


def test_parameters_of_an_operation_replace_those_of_its_path() -> None:
    put = by_key(read(SWAGGER)["PUT /v1/pets/{id}"])
    assert put["path id"].gene == UuidGene()
    assert put["json "].gene.value() == {"name": "a", "age": 1}


def test_swagger_parameters_are_their_own_schema() -> None:
    listing = by_key(read(SWAGGER)["GET /v1/pets"])
    assert list(listing) == ["query page", "query tags", "query ids", "header X-Trace"]
    assert listing["query page"].gene == SuggestedGene(IntegerGene(current=1), (1,))
    assert isinstance(listing["query tags"].gene, EncodedGene)
    assert isinstance(listing["query ids"].gene, ArrayGene)
    assert listing["header X-Trace"].gene == BooleanGene()


def test_swagger_files_are_files() -> None:
    upload = by_key(read(SWAGGER)["POST /v1/pets"])
    assert upload["file photo"].required
    assert isinstance(upload["file photo"].gene, FileGene)
    assert not upload["form caption"].required


def test_openapi_templates_have_the_path_of_the_nearest_server() -> None:
    assert list(read(OPENAPI)) == [
        "GET /api/orders",
        "POST /api/orders",
        "PUT /api/orders/{order}/scan",
        "POST /notes",
    ]


def test_every_structured_body_is_offered() -> None:
    order = by_key(read(OPENAPI)["POST /api/orders"])
    assert order["json "].required
    assert order["json "].gene.value() == {"id": 17}
    assert order["form id"].required
    assert order["form note"].gene == TextGene(current="a")


def test_query_parameters_follow_their_style() -> None:
    listing = by_key(read(OPENAPI)["GET /api/orders"])
    assert list(listing) == [
        "query status",
        "query filter[from]",
        "query sort",
        "cookie session",
    ]
    assert listing["query status"].gene.value() == "open,paid"
    assert listing["query filter[from]"].gene.value() == "2000-01-01"


def test_multipart_fields_are_files_or_forms_and_undeclared_placeholders_texts() -> None:
    scan = by_key(read(OPENAPI)["PUT /api/orders/{order}/scan"])
    assert list(scan) == ["file page", "file pages", "form title", "path order"]
    assert scan["path order"].required


def test_other_bodies_are_raw_text() -> None:
    (body,) = read(OPENAPI)["POST /notes"].parameters
    assert (body.location, body.content_type) == (Location.TEXT, "text/plain")


@pytest.mark.parametrize("document", [None, [], "x", {}, {"paths": None}, {"paths": []}])
def test_what_is_no_document_gives_a_notice(document: object) -> None:
    assert endpoints_from_openapi(document) == ([], ["the OpenAPI document has no paths"])


def test_what_can_be_read_of_a_broken_document_is_read() -> None:
    broken = copy.deepcopy(OPENAPI)
    broken["paths"]["/broken"] = {
        "get": {"parameters": [None, {"in": "query"}, {"name": "q", "in": "moon"}]},
        "post": {"requestBody": {"$ref": "#/nowhere"}, "responses": 5},
        "put": "nothing",
        "delete": {"parameters": {"a": 1}, "servers": [{"url": 5}]},
    }
    endpoints, notices = endpoints_from_openapi(broken)

    assert "GET /api/orders" in [endpoint.key for endpoint in endpoints]
    assert "GET /api/broken" in [endpoint.key for endpoint in endpoints]
    assert "reference #/nowhere leads nowhere" in notices
    assert "parameter 'q' in 'moon' is of no known kind" in notices


def test_parameters_elsewhere_have_one_notice() -> None:
    listed = [{"$ref": "http://x/limit.yaml"}, {"$ref": "http://x/offset.yaml"}]
    document = {"openapi": "3.0.3", "paths": {"/a": {"get": {"parameters": listed}}}}

    endpoints, notices = endpoints_from_openapi(document)

    assert [endpoint.parameters for endpoint in endpoints] == [()]
    assert notices == ["references to x leave the document and are not followed"]


def routed(method: str, template: str, *parameters: Parameter) -> Endpoint:
    return Endpoint(method, template, "view", parameters, blueprint="shop")


def path(name: str, gene: object, source: str = "url_map") -> Parameter:
    return Parameter(Location.PATH, name, gene, True, source)


def test_names_of_the_route_and_types_of_the_schema_win() -> None:
    route = routed("GET", "/v1/pets/<x>".replace("<x>", "{pet_id}"), path("pet_id", TextGene(1)))
    (merged, *others) = merge_schema([route], list(read(SWAGGER).values())[:1])

    assert others == []
    assert merged.template == "/v1/pets/{pet_id}"
    assert (merged.name, merged.blueprint, merged.statuses) == ("view", "shop", (200, 404))
    assert merged.parameters == (path("pet_id", IntegerGene(current=1), "schema"),)


def test_converters_that_know_more_win_over_the_schema() -> None:
    route = routed("GET", "/v1/pets/{id}", path("id", IntegerGene(0, None, 1)))
    (merged,) = merge_schema([route], list(read(SWAGGER).values())[:1])
    assert merged.parameters[0].gene == IntegerGene(0, None, 1)


def test_parameters_of_both_sides_are_kept() -> None:
    known = Parameter(Location.QUERY, "debug", TextGene(), False, "read")
    (merged,) = merge_schema([routed("GET", "/v1/pets", known)], [read(SWAGGER)["GET /v1/pets"]])
    assert list(by_key(merged))[:2] == ["query debug", "query page"]


@pytest.mark.parametrize("template", ["/pets/{key}", "/shop/v1/pets/{key}", "/v1/pets/{key}/"])
def test_endpoints_match_wherever_they_are_mounted(template: str) -> None:
    route = routed("PUT", template, path("key", TextGene(1)))
    (merged,) = merge_schema([route], [read(SWAGGER)["PUT /v1/pets/{id}"]])
    assert list(by_key(merged)) == ["path key", "json "]
    assert merged.parameters[0].gene == UuidGene()


def test_stale_declarations_are_left_out_and_missing_routes_believed() -> None:
    declared = list(read(SWAGGER).values())
    routes = [
        routed("GET", "/v1/pets/{id}", path("id", TextGene(1))),
        routed("GET", "/v1/pets"),
        routed("GET", "/health"),
    ]

    assert [e.key for e in merge_schema(routes, declared)] == [e.key for e in routes]
    assert merge_schema([], declared) == tuple(declared)
    assert merge_schema(routes, []) == tuple(routes)
    behind = merge_schema([routed("GET", "/static/{file}")], declared)
    assert [endpoint.key for endpoint in behind] == [
        "GET /static/{file}",
        *(endpoint.key for endpoint in declared),
    ]


def test_an_address_written_out_describes_the_route_that_serves_it() -> None:
    body = Parameter(Location.JSON, "", TextGene())
    declared = [
        Endpoint("PUT", f"/topics/{number}/", "change", (body,), statuses=(204,))
        for number in (1, 2)
    ]
    routes = [routed("PUT", "/topics/{pk}/", path("pk", TextGene(1))), routed("GET", "/topics/")]

    change, index = merge_schema(routes, declared)

    assert list(by_key(change)) == ["path pk", "json "]
    assert change.statuses == (204,)
    assert index.parameters == ()


def test_a_route_that_serves_every_address_is_described_by_none() -> None:
    declared = [Endpoint("GET", "/topics", "list")]
    merged = merge_schema([routed("GET", "/{address}", path("address", TextGene(1)))], declared)
    assert [endpoint.key for endpoint in merged] == ["GET /{address}", "GET /topics"]


def test_a_declaration_with_a_route_of_its_own_describes_no_other() -> None:
    admin = Endpoint("GET", "/admin/users", "list", (Parameter(Location.QUERY, "q", TextGene()),))
    inner, outer = merge_schema([routed("GET", "/users"), routed("GET", "/admin/users")], [admin])
    assert inner.parameters == ()
    assert list(by_key(outer)) == ["query q"]


def test_a_schema_without_words_takes_nothing_from_the_route() -> None:
    document = {"paths": {"/a/{b}": {"get": {"parameters": [{"name": "b", "in": "path"}]}}}}
    (merged,) = merge_schema(
        [routed("GET", "/a/{b}", path("b", TextGene(1)))], list(read(document).values())
    )
    assert merged.parameters[0].gene == TextGene(1)
