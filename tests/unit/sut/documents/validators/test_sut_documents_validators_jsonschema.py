from __future__ import annotations

import jsonschema
import pytest
from jsonschema import validators

SCHEMA = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "integer"}, {"$ref": "#/definitions/name"}]}},
    "required": ["a"],
    "definitions": {"name": {"type": "string"}},
}
Extended = validators.extend(jsonschema.Draft7Validator, {})


@pytest.mark.parametrize(
    "validate",
    [
        lambda data: jsonschema.validate(data, SCHEMA),
        jsonschema.Draft7Validator(SCHEMA).validate,
        lambda data: list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(data)),
        jsonschema.Draft4Validator(SCHEMA).is_valid,
        Extended(SCHEMA).validate,
    ],
    ids=["function", "method", "errors", "boolean", "extended"],
)
def test_every_way_in_is_caught(schema_of, validate):
    assert schema_of(validate) == SCHEMA


def test_parts_of_a_schema_are_not_caught_again(watching):
    from flask import request

    def view():
        jsonschema.validate(request.get_json(), SCHEMA)

    seen = watching(view, [{"json": {"a": "text"}}])

    assert [caught.schema for caught in seen.taken] == [SCHEMA]
