from __future__ import annotations

from datetime import date
from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.formats import Base64Gene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.json_schema import ANYTHING
from pytest_evosearch.problem.http.descriptions.schema import gene_from_schema


@pytest.mark.parametrize(
    ("schema", "gene"),
    [
        ({"type": "integer"}, IntegerGene(current=1)),
        ({"type": "integer", "minimum": 5, "maximum": 9}, IntegerGene(5, 9, 5)),
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, IntegerGene(1, None, 1)),
        ({"type": "integer", "exclusiveMaximum": 0}, IntegerGene(None, -1, -1)),
        ({"type": "integer", "minimum": 0.5}, IntegerGene(1, None, 1)),
        ({"type": "integer", "multipleOf": 5}, IntegerGene(None, None, 0, multiple_of=5)),
        ({"type": "integer", "format": "int32"}, IntegerGene(-(2**31), 2**31 - 1, 1)),
        ({"minimum": 2, "maximum": 3}, FloatGene(2.0, 3.0, False, 2.0)),
        ({"type": "number", "format": "double"}, FloatGene(special=False, current=1.0)),
        ({"type": "boolean"}, BooleanGene()),
        ({"type": "boolean", "default": True}, BooleanGene(True)),
        ({"type": "null"}, NullGene()),
        ({"type": "string"}, TextGene(current="a")),
        ({"minLength": 2, "maxLength": 4}, TextGene(2, 4, current="aa")),
        ({"type": "string", "maxLength": 0}, TextGene(0, 0)),
        ({"type": "string", "format": "password"}, TextGene(current="a")),
        ({"type": "string", "format": "date"}, DateGene()),
        ({"type": "string", "format": "date-time"}, DateTimeGene()),
        ({"type": "string", "format": "time"}, TimeGene()),
        ({"type": "string", "format": "uuid"}, UuidGene()),
        ({"type": "string", "format": "email"}, EmailGene()),
        ({"type": "string", "format": "uri"}, UrlGene()),
        ({"type": "string", "format": "byte"}, Base64Gene()),
        ({"type": "string", "contentEncoding": "base64"}, Base64Gene()),
        ({"type": "string", "format": "binary"}, BytesGene(current=b"a")),
        ({"type": "string", "pattern": "^x+$"}, RegexGene("^x+$", "x")),
        ({"type": "string", "pattern": "(?<year>19|20)"}, RegexGene("(?P<year>19|20)", "20")),
        ({"enum": ["a", 1]}, EnumGene(("a", 1))),
        ({"enum": ["a", "b"], "default": "b"}, EnumGene(("a", "b"), 1)),
        ({"const": {"a": 1}}, ConstantGene({"a": 1})),
        ({"enum": ["a", None]}, NullableGene(EnumGene(("a",)))),
        ({"type": "integer", "nullable": True}, NullableGene(IntegerGene(current=1))),
        ({"type": ["string", "null"]}, NullableGene(TextGene(current="a"))),
        (
            {"type": ["string", "integer"]},
            ChoiceGene((TextGene(current="a"), IntegerGene(current=1))),
        ),
        ({"oneOf": [{"type": "string"}]}, TextGene(current="a")),
        (
            {"anyOf": [{"type": "boolean"}, {"type": "integer"}]},
            ChoiceGene((BooleanGene(), IntegerGene(current=1))),
        ),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, NullableGene(BooleanGene())),
        ({"allOf": [{"type": "integer"}, {"minimum": 3}, {"minimum": 2}]}, IntegerGene(3, None, 3)),
        (
            {"type": "array", "items": {"type": "boolean"}, "minItems": 2},
            ArrayGene(BooleanGene(), 2, None, (BooleanGene(), BooleanGene())),
        ),
        (
            {"items": {"enum": [1]}, "uniqueItems": True, "maxItems": 3},
            ArrayGene(EnumGene((1,)), 0, 3, (EnumGene((1,)),), unique=True),
        ),
        (
            {"type": "integer", "example": 42, "default": 7},
            SuggestedGene(IntegerGene(current=42), (42, 7)),
        ),
        (
            {"type": "string", "examples": ["x", "y", "x"]},
            SuggestedGene(TextGene(current="x"), ("x", "y")),
        ),
        (
            {"type": "string", "format": "date", "example": date(2024, 2, 29)},
            SuggestedGene(DateGene(current="2024-02-29"), ("2024-02-29",)),
        ),
        ({"enum": [date(2024, 2, 29)]}, EnumGene(("2024-02-29",))),
        ({"type": "integer", "example": "no number"}, IntegerGene(current=1)),
        ({}, ANYTHING),
        (True, ANYTHING),
    ],
)
def test_words_become_constraints(schema: object, gene: Gene) -> None:
    assert gene_from_schema(schema, {}) == gene


def test_objects_know_what_is_required() -> None:
    gene = gene_from_schema(
        {
            "required": ["id", "undeclared"],
            "properties": {
                "id": {"type": "integer"},
                "note": {"type": "string"},
                "created": {"type": "string", "readOnly": True},
            },
            "additionalProperties": {"type": "boolean"},
        },
        {},
    )

    assert isinstance(gene, ObjectGene)
    assert gene.value() == {"id": 1, "note": "a", "undeclared": "a"}
    assert [field.required for field in gene.fields] == [True, False, False, True]
    assert gene.additional == BooleanGene()


def test_examples_of_an_object_reach_its_fields() -> None:
    gene = gene_from_schema(
        {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "example": {"name": "Rex", "age": 3},
        },
        {},
    )

    assert gene.value() == {"name": "Rex", "age": 3}
    names = [gene.sample(Random(seed)).value()["name"] for seed in range(40)]
    assert 5 < names.count("Rex") < 30


def test_an_example_says_more_than_a_scalar_that_it_contradicts() -> None:
    shown = {"type": "User", "attributes": {"name": "", "tags": ["a"]}}

    gene = gene_from_schema({"type": "string", "example": shown}, {})

    assert gene.value() == shown
    kinds = {type(gene.sample(Random(seed)).value()) for seed in range(40)}
    assert kinds == {dict, str}


DOCUMENT = {
    "components": {
        "schemas": {
            "Node": {
                "type": "object",
                "properties": {
                    "value": {"type": "integer"},
                    "next": {"$ref": "#/components/schemas/Node"},
                    "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
                },
            },
            "Loop": {"$ref": "#/components/schemas/Loop"},
            "SelfMade": {"allOf": [{"$ref": "#/components/schemas/SelfMade"}, {"type": "string"}]},
            "Either": {
                "oneOf": [{"$ref": "#/components/schemas/Either"}, {"type": "integer"}],
            },
            "a/b~c": {"type": "boolean"},
            "Cat": {"type": "object", "properties": {"lives": {"type": "integer"}}},
            "Dog": {"type": "object", "properties": {"good": {"type": "boolean"}}},
            "Pet": {
                "oneOf": [
                    {"$ref": "#/components/schemas/Cat"},
                    {"$ref": "#/components/schemas/Dog"},
                ],
                "discriminator": {
                    "propertyName": "kind",
                    "mapping": {"woof": "#/components/schemas/Dog"},
                },
            },
        }
    }
}


def referring(name: str) -> dict[str, object]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_recursive_schemas_end() -> None:
    gene = gene_from_schema(referring("Node"), DOCUMENT)

    assert isinstance(gene.value()["next"], dict)
    assert len(list(walk(gene))) < 100
    assert isinstance(gene.sample(Random(1)).value(), dict)


def test_wide_mutual_recursion_is_cut() -> None:
    names = [f"S{n}" for n in range(12)]
    schemas = {
        name: {"properties": {other: {"$ref": f"#/definitions/{other}"} for other in names}}
        for name in names
    }
    gene = gene_from_schema({"$ref": "#/definitions/S0"}, {"definitions": schemas})
    assert len(list(walk(gene))) < 2000


@pytest.mark.parametrize(
    ("name", "kind", "notice"),
    [
        ("Loop", ChoiceGene, "leads back to itself"),
        ("SelfMade", TextGene, None),
        ("Either", IntegerGene, None),
        ("a~1b~0c", BooleanGene, None),
        ("missing", ChoiceGene, "leads nowhere"),
    ],
)
def test_odd_references(name: str, kind: type[Gene], notice: str | None) -> None:
    notices: list[str] = []
    assert isinstance(gene_from_schema(referring(name), DOCUMENT, notices), kind)
    assert [notice in line for line in notices] == ([True] if notice else [])


def test_references_out_of_the_document_are_not_followed() -> None:
    notices: list[str] = []
    references = ["http://x/y.json#/a", "http://x/y.json#/b", "http://x/z.json", "common.yaml#/a"]
    for reference in references:
        assert gene_from_schema({"$ref": reference}, {}, notices) == ANYTHING
    assert notices == [
        "references to x leave the document and are not followed",
        "references to common.yaml leave the document and are not followed",
    ]


def test_discriminators_name_the_alternative() -> None:
    gene = gene_from_schema(referring("Pet"), DOCUMENT)
    assert isinstance(gene, ChoiceGene)
    assert [inner.value()["kind"] for inner in gene.alternatives] == ["Cat", "woof"]


@pytest.mark.parametrize(
    ("schema", "notice"),
    [
        ({"type": "string", "pattern": "("}, "pattern"),
        ({"type": "colour"}, "unknown type 'colour'"),
    ],
)
def test_what_is_not_understood_is_noted(schema: object, notice: str) -> None:
    notices: list[str] = []
    gene_from_schema(schema, {}, notices)
    assert len(notices) == 1
    assert notice in notices[0]


@pytest.mark.parametrize(
    "schema",
    [
        None,
        3,
        "string",
        [],
        {"type": 3},
        {"type": "object", "properties": [], "required": "id"},
        {"type": "object", "properties": {"a": None}},
        {"type": "array", "items": 5, "minItems": -1, "maxItems": "x"},
        {"type": "integer", "minimum": "low", "maximum": None, "multipleOf": 0},
        {"type": "integer", "minimum": 10, "maximum": 1},
        {"type": "string", "minLength": 5, "maxLength": 1},
        {"enum": "abc"},
        {"enum": []},
        {"oneOf": []},
        {"oneOf": [None, 3]},
        {"allOf": [3, None]},
        {"nullable": "yes", "type": "string"},
        {"$ref": 5},
        {"discriminator": 3, "oneOf": [{"type": "string"}]},
        {"examples": 3, "type": "string"},
    ],
)
def test_broken_schemas_still_give_a_gene(schema: object) -> None:
    gene = gene_from_schema(schema, {})
    rng = Random(1)
    for _ in range(20):
        gene = gene.sample(rng).mutate(rng)
    assert isinstance(gene, Gene)


@pytest.mark.parametrize("items", [{}, {"type": "object", "properties": {"a": {}}}])
def test_lists_stay_of_a_size_that_can_be_sent(items: object) -> None:
    gene = gene_from_schema({"type": "array", "items": items, "minItems": 1e300}, {})
    assert len(gene.value()) == 1_000
    drawn = gene.sample(Random(1)).mutate(Random(1)).value()
    assert isinstance(drawn, list)
    assert len(drawn) >= 1_000
    assert len(gene_from_schema({"type": "string", "minLength": 2_000}, {}).value()) == 2_000


def test_optional_fields_can_be_switched() -> None:
    gene = gene_from_schema({"properties": {"a": {"type": "string"}}}, {})
    assert isinstance(dict(gene.children())["a"], OptionalGene)
