from __future__ import annotations

import pytest
from cerberus import Validator


@pytest.mark.parametrize(
    ("rules", "schema"),
    [
        ({"type": "integer", "min": 1, "max": 4}, {"type": "integer", "minimum": 1, "maximum": 4}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer"]}),
        ({"type": "string", "empty": False}, {"type": "string", "minLength": 1}),
        ({"type": "string", "regex": "a+"}, {"type": "string", "pattern": "^(?:a+)$"}),
        ({"allowed": ["x", "y"], "default": "x"}, {"enum": ["x", "y"], "default": "x"}),
        (
            {"type": "list", "allowed": ["x"], "maxlength": 3},
            {"type": "array", "items": {"enum": ["x"]}, "maxItems": 3},
        ),
        (
            {"type": "list", "schema": {"type": "boolean"}},
            {"type": "array", "items": {"type": "boolean"}},
        ),
        ({"type": "float", "nullable": True}, {"type": "number", "nullable": True}),
        (
            {"type": "dict", "schema": {"in": {"type": "string", "required": True}}},
            {"type": "object", "properties": {"in": {"type": "string"}}, "required": ["in"]},
        ),
        (
            {"type": "dict", "valuesrules": {"type": "integer"}},
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        (
            {"anyof": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
    ],
)
def test_rules(schema_of, rules, schema):
    assert schema_of(lambda data: Validator({"it": rules}).validate(data))["properties"] == {
        "it": schema
    }


def test_what_is_required(schema_of):
    rules = {"a": {"required": True}, "b": {}, "c": {"required": False}}

    assert schema_of(lambda data: Validator(rules)(data))["required"] == ["a"]
    demanding = Validator(rules, require_all=True)
    assert schema_of(lambda data: demanding.validate(data))["required"] == ["a", "b"]
    assert "required" not in schema_of(lambda data: Validator(rules).validate(data, update=True))
    assert schema_of(lambda data: Validator().validate(data, rules))["required"] == ["a"]
    assert schema_of(lambda data: Validator(rules).validated(data))["required"] == ["a"]
