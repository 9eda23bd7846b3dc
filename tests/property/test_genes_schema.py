"""No schema and no document, however broken, ends a run."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.descriptions.schema import gene_from_schema
from pytest_evosearch.problem.http.descriptions.schema import merge_schema

WORDS = (
    *("type", "format", "enum", "const", "pattern", "minimum", "maximum", "multipleOf"),
    *("exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    *("required", "nullable", "default", "example", "examples", "additionalProperties"),
    *("oneOf", "anyOf", "allOf", "properties", "items", "$ref", "discriminator", "readOnly"),
)
VALUES = (
    *("string", "integer", "number", "object", "array", "null", "date", "uuid", "int32"),
    *("#/a", "#", "#/a/properties/a", "^a+$", "("),
)
scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.sampled_from(VALUES)
words = st.sampled_from((*WORDS, "a", "b"))
schemas = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner),
    max_leaves=15,
)
operation_words = st.sampled_from(
    ("parameters", "requestBody", "responses", "name", "in", "schema", "content", "servers", "url")
)
parts = st.recursive(
    schemas | st.sampled_from(("query", "path", "header", "application/json", "body")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(operation_words | words | st.just("application/json"), inner)
    ),
    max_leaves=20,
)
quickly = settings(max_examples=80, deadline=None, database=None)


@given(schema=schemas, seed=st.integers(0, 1000))
@quickly
def test_any_schema_gives_a_gene_that_works(schema: object, seed: int) -> None:
    rng = Random(seed)
    gene = gene_from_schema(schema, {"a": schema}).sample(rng)
    assert gene.mutate(rng) == gene_from_schema(schema, {"a": schema}).sample(
        again := Random(seed)
    ).mutate(again)


@given(
    path_items=st.dictionaries(
        st.sampled_from(("/a", "/a/{b}", "x", "")),
        st.dictionaries(st.sampled_from(("get", "post", "parameters", "servers")), parts),
        max_size=3,
    ),
    shared=parts,
)
@quickly
def test_any_document_gives_a_reading(path_items: dict[str, object], shared: object) -> None:
    reading = endpoints_from_openapi({"paths": path_items, "a": shared, "servers": shared})
    merged = merge_schema(reading.endpoints, reading.endpoints)
    assert [endpoint.key for endpoint in merged] == [e.key for e in reading.endpoints]
