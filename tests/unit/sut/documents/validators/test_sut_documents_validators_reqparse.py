from __future__ import annotations

import pytest
from flask_restx import inputs
from flask_restx.reqparse import RequestParser


@pytest.fixture
def argument_schema(watching):
    """Return the schema of one argument in the query, and whether it is required."""

    def catch(**words):
        parser = RequestParser().add_argument("it", location="args", **words)
        seen = watching(lambda: parser.parse_args(), [{}])
        assert seen.watch.notices == []
        (caught,) = seen.taken
        assert caught.location == "query"
        return caught.schema["properties"]["it"], "required" in caught.schema

    return catch


@pytest.mark.parametrize(
    ("words", "schema"),
    [
        ({}, {"type": "string"}),
        ({"type": int, "default": 3}, {"type": "integer", "default": 3}),
        ({"type": inputs.boolean}, {"type": "boolean"}),
        ({"type": inputs.natural}, {"type": "integer", "minimum": 0}),
        ({"type": inputs.int_range(2, 4)}, {"type": "integer", "minimum": 2, "maximum": 4}),
        ({"type": inputs.regex("a+$")}, {"type": "string", "pattern": "^(?:a+$)"}),
        ({"type": inputs.date_from_iso8601}, {"type": "string", "format": "date"}),
        ({"choices": ("x", "y")}, {"type": "string", "enum": ["x", "y"]}),
        ({"type": int, "action": "append"}, {"type": "array", "items": {"type": "integer"}}),
        ({"type": lambda value: value}, {}),
    ],
)
def test_arguments(argument_schema, words, schema):
    assert argument_schema(**words) == (schema, False)


def test_required_arguments(argument_schema):
    assert argument_schema(required=True)[1]


@pytest.mark.parametrize(
    ("method", "location", "place"),
    [
        ("POST", None, "json"),
        ("GET", None, "query"),
        ("POST", "form", "form"),
        ("POST", "values", "form"),
        ("GET", "values", "query"),
        ("POST", ["args", "json"], "query"),
        ("GET", "headers", "header"),
        ("GET", "cookies", "cookie"),
        ("POST", "files", "form"),
    ],
)
def test_where_arguments_are_looked_for(watching, method, location, place):
    words = {} if location is None else {"location": location}
    parser = RequestParser().add_argument("it", **words)

    seen = watching(
        lambda: parser.parse_args(), [{"json": {}} if method == "POST" else {}], method=method
    )

    assert [caught.location for caught in seen.taken] == [place]
