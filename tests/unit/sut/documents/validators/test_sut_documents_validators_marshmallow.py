from __future__ import annotations

import enum

import pytest
from flask import request
from marshmallow import Schema
from marshmallow import fields
from marshmallow import validate
from webargs.flaskparser import parser


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Author(Schema):
    name = fields.String(required=True, validate=validate.Length(min=2, max=9))
    books = fields.List(fields.Nested(lambda: Book(exclude=("author",))))


class Book(Schema):
    title = fields.String(required=True, data_key="Title")
    author = fields.Nested(Author)
    pages = fields.Integer(validate=[validate.Range(min=1), validate.Range(max=900)])
    ident = fields.Integer(dump_only=True)


@pytest.mark.parametrize(
    ("field", "schema"),
    [
        (fields.Integer(), {"type": "integer"}),
        (fields.Decimal(allow_none=True), {"type": "number", "nullable": True}),
        (fields.Boolean(load_default=True), {"type": "boolean", "default": True}),
        (fields.Email(), {"type": "string", "format": "email"}),
        (fields.Url(), {"type": "string", "format": "uri"}),
        (fields.UUID(), {"type": "string", "format": "uuid"}),
        (fields.Date(), {"type": "string", "format": "date"}),
        (
            fields.DateTime(format="%d.%m.%Y"),
            {"type": "string", "format": "date-time", "x-layout": "%d.%m.%Y"},
        ),
        (fields.Enum(Colour), {"enum": ["RED", "BLUE"]}),
        (fields.Enum(Colour, by_value=True), {"enum": ["r", "b"]}),
        (fields.List(fields.Float()), {"type": "array", "items": {"type": "number"}}),
        (
            fields.Dict(values=fields.Integer()),
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        (fields.Raw(), {}),
        (
            fields.String(validate=validate.And(validate.Regexp("a+"), validate.Length(equal=3))),
            {"type": "string", "pattern": "^(?:a+)", "minLength": 3, "maxLength": 3},
        ),
        (
            fields.Float(validate=validate.Range(0, 1, min_inclusive=False)),
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        ),
        (
            fields.List(fields.String(), validate=validate.Length(max=4)),
            {"type": "array", "items": {"type": "string"}, "maxItems": 4},
        ),
        (
            fields.String(validate=validate.OneOf({"c", "a", "b"})),
            {"type": "string", "enum": ["a", "b", "c"]},
        ),
        (
            fields.List(fields.String(), validate=validate.ContainsOnly(["x"])),
            {"type": "array", "items": {"type": "string", "enum": ["x"]}},
        ),
        (fields.String(metadata={"example": "hi"}), {"type": "string", "example": "hi"}),
    ],
)
def test_fields_and_their_validators(schema_of, field, schema):
    made = Schema.from_dict({"it": field})

    assert schema_of(made().load)["properties"] == {"it": schema}


def test_names_requirements_and_nesting(schema_of):
    name = {"type": "string", "minLength": 2, "maxLength": 9}
    book = {"Title": {"type": "string"}, "pages": {"type": "integer", "minimum": 1, "maximum": 900}}

    schema = schema_of(Book().load)

    assert schema["required"] == ["Title"]
    assert list(schema["properties"]) == ["Title", "author", "pages"]
    author = schema["properties"]["author"]
    assert author["properties"]["name"] == name
    assert author["required"] == ["name"]
    assert author["properties"]["books"]["items"]["properties"] == book


def test_only_partial_and_many(schema_of):
    assert list(schema_of(Book(only=("title",)).load)["properties"]) == ["Title"]
    assert "required" not in schema_of(Book(partial=True).load)
    assert "required" not in schema_of(lambda data: Book().load(data, partial=("title",)))
    assert schema_of(lambda data: Book().load(data, many=True))["items"]["required"] == ["Title"]


def test_loads_and_validate_are_caught_too(watching):
    def view():
        Book().validate(request.args)
        Book(only=("pages",)).loads(request.get_data(as_text=True))

    seen = watching(view, [{"query_string": "Title=a", "data": '{"pages": 3}'}])

    assert [(caught.location, list(caught.schema["properties"])) for caught in seen.taken] == [
        ("query", ["Title", "author", "pages"]),
        ("json", ["pages"]),
    ]


def test_instances_that_change_their_fields_are_told_apart(watching):
    class Varying(Schema):
        first = fields.Integer()
        second = fields.Integer()

        def __init__(self, without):
            super().__init__()
            del self.load_fields[without]

    names = iter(("first", "second"))

    seen = watching(lambda: Varying(next(names)).load(request.json), [{"json": {}}] * 2)

    assert [list(caught.schema["properties"]) for caught in seen.taken] == [["second"], ["first"]]


@pytest.mark.parametrize(
    ("location", "place", "sent"),
    [
        ("query", "query", {"query_string": "n=1"}),
        ("form", "form", {"data": {"n": "1"}}),
        ("json", "json", {"json": {"n": 1}}),
        ("headers", "header", {"headers": {"n": "1"}}),
        ("query", "query", {}),
    ],
)
def test_webargs_is_told_by_what_it_wraps(watching, location, place, sent):
    arguments = {"n": fields.Integer(required=True)}

    seen = watching(
        lambda: parser.parse(arguments, request, location=location, unknown="exclude"), [sent]
    )

    (caught,) = seen.taken
    assert caught.location == place
    assert caught.schema["required"] == ["n"]
