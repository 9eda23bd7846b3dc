"""Turns an introspected GraphQL schema into endpoints, one for each operation.

They share an address. Only the fragment of the template differs, and no client sends it:
``/graphql#mutation.createUser``.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.english import words_of
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.problem.http.descriptions.json_schema import gene_from_schema
from pytest_evosearch.problem.http.descriptions.schema_scalars import FORMATS
from pytest_evosearch.problem.http.exchanges.endpoint import OPERATION
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.graphql_documents import Argument
from pytest_evosearch.problem.http.exchanges.graphql_documents import Operation
from pytest_evosearch.problem.http.exchanges.graphql_documents import Selections
from pytest_evosearch.problem.http.exchanges.graphql_documents import Type
from pytest_evosearch.problem.http.exchanges.graphql_documents import is_required
from pytest_evosearch.problem.http.exchanges.graphql_documents import spelled
from pytest_evosearch.problem.http.exchanges.graphql_gene import OperationGene

_TEXT = {"type": "string"}

SCALARS: Mapping[str, Mapping[str, object]] = {
    "int": {"type": "integer", "format": "int32"},
    "float": {"type": "number"},
    "string": _TEXT,
    "boolean": {"type": "boolean"},
    # Most databases count, so a number is the better guess; GraphQL returns it as a text.
    "id": {"oneOf": [{"type": "string", "pattern": r"^(0|[1-9]\d{0,3})$", "example": "1"}, _TEXT]},
    "decimal": {"oneOf": [{"type": "string", "pattern": r"^\d{1,4}\.\d\d$"}, {"type": "number"}]},
}
"""Schemas of the values sent for GraphQL's own scalars, and for amounts of money."""


def scalar_schema(name: str) -> Mapping[str, object]:
    """Return the schema of a scalar: one of GraphQL's own, or a guess from its name.

    ``PositiveInt`` is a number, ``EmailAddress`` and ``DateTime`` are texts of a known format.
    """
    words = words_of(name)
    joined = "".join(words)
    if joined in SCALARS:
        return SCALARS[joined]
    if "json" in words or joined in ("jsonstring", "jsonobject", "genericscalar"):
        is_text = joined.endswith("string")
        return (
            {"type": "string", "examples": ["{}"]}
            if is_text
            else {"type": "object", "additionalProperties": True}
        )
    if words and words[-1] in ("int", "long", "bigint"):
        least = 1 if joined.startswith("positive") else 0 if joined.startswith("non") else None
        return {"type": "integer", "format": "int64"} if least is None else _whole(least)
    known = "datetime" if joined == "timestamp" else joined.removesuffix("address")
    return {"type": "string", "format": known} if known in FORMATS else {}


def _whole(least: int) -> Mapping[str, object]:
    return {"type": "integer", "minimum": least}


def operations_of(schema: Mapping[str, Any], endpoint: Endpoint) -> list[Endpoint]:
    """Return an endpoint for each field of the types of queries and mutations of `schema`.

    `endpoint` receives all operations.
    """
    types = {str(one["name"]): one for one in schema.get("types") or ()}
    document = {"definitions": {name: _input_schema(one) for name, one in types.items()}}
    selections = Selections(types)
    found = []
    for kind in ("query", "mutation"):
        root = types.get(str((schema.get(f"{kind}Type") or {}).get("name")), {})
        for field in root.get("fields") or ():
            operation = Operation(
                kind,
                str(field["name"]),
                tuple(_arguments(field)),
                selections.of(field["type"]),
            )
            gene = _body(operation, field, document)
            found.append(_asking_for(operation, gene, endpoint, field.get("description")))
    return found


def _asking_for(
    operation: Operation, gene: Gene, endpoint: Endpoint, description: object
) -> Endpoint:
    summary = str(description or "").strip().partition("\n")[0]
    return replace(
        endpoint,
        template=f"{endpoint.template}{OPERATION}{operation.coordinate}",
        parameters=(Parameter(Location.JSON, "", gene, required=True, source="schema"),),
        summary=summary,
    )


def _arguments(field: Type) -> Iterator[Argument]:
    for argument in field.get("args") or ():
        yield Argument(str(argument["name"]), spelled(argument["type"]))


def _body(operation: Operation, field: Type, document: Mapping[str, object]) -> Gene:
    variables = gene_from_schema(_object(field.get("args") or ()), document)
    fields = (Field("variables", variables),) if isinstance(variables, ObjectGene) else ()
    return OperationGene(fields, operation=operation, selection=len(operation.selections) - 1)


def _object(values: object) -> dict[str, object]:
    members = list(values) if isinstance(values, (list, tuple)) else []
    return {
        "type": "object",
        "properties": {str(one["name"]): _value_schema(one["type"]) for one in members},
        "required": [str(one["name"]) for one in members if is_required(one)],
    }


def _input_schema(definition: Type) -> dict[str, object]:
    """Return the JSON schema of an input type; for other types one that accepts anything."""
    kind = definition.get("kind")
    if kind == "INPUT_OBJECT":
        return _object(definition.get("inputFields") or ())
    if kind == "ENUM":
        return {"enum": [str(one["name"]) for one in definition.get("enumValues") or ()]}
    return dict(scalar_schema(str(definition.get("name"))))


def _value_schema(reference: Type) -> dict[str, object]:
    inner = reference.get("ofType")
    if reference.get("kind") == "NON_NULL" and inner:
        return _present_schema(inner)
    return {"anyOf": [_present_schema(reference), {"type": "null"}]}


def _present_schema(reference: Type) -> dict[str, object]:
    inner = reference.get("ofType")
    if reference.get("kind") == "LIST" and inner:
        return {"type": "array", "items": _value_schema(inner)}
    return {"$ref": f"#/definitions/{reference.get('name')}"}
