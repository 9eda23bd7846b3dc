from __future__ import annotations

import pytest
import voluptuous as v


def even(value):
    return value


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (int, {"type": "integer"}),
        ("constant", {"enum": ["constant"]}),
        (v.Coerce(float), {"type": "number"}),
        (v.All(int, v.Range(min=1, max=5)), {"type": "integer", "minimum": 1, "maximum": 5}),
        (v.Range(min=0, min_included=False), {"exclusiveMinimum": 0}),
        (v.All(str, v.Length(min=2)), {"type": "string", "minLength": 2}),
        (
            v.All([str], v.Length(max=2)),
            {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        ),
        (v.In({"b", "a"}), {"enum": ["a", "b"]}),
        (v.Any("x", "y", None), {"enum": ["x", "y", None]}),
        (v.Any(int, str), {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (v.Maybe(str), {"type": "string", "nullable": True}),
        (v.Match("a+"), {"type": "string", "pattern": "^(?:a+)"}),
        (v.Email(), {"type": "string", "format": "email"}),
        (v.Url(), {"type": "string", "format": "uri"}),
        (
            v.Datetime(format="%Y %H"),
            {"type": "string", "format": "date-time", "x-layout": "%Y %H"},
        ),
        (
            {v.Required("in"): bool},
            {
                "type": "object",
                "properties": {"in": {"type": "boolean"}},
                "required": ["in"],
            },
        ),
        (
            {str: int},
            {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
        ),
        (v.Schema([int]), {"type": "array", "items": {"type": "integer"}}),
        (even, {}),
    ],
)
def test_values(schema_of, value, schema):
    assert schema_of(v.Schema({v.Optional("it"): value}))["properties"] == {"it": schema}


def test_markers(schema_of):
    schema = schema_of(
        v.Schema(
            {
                "plain": int,
                v.Required("needed"): int,
                v.Optional("preset", default=3): int,
                v.Remove("gone"): int,
            }
        )
    )

    assert list(schema["properties"]) == ["plain", "needed", "preset"]
    assert schema["properties"]["preset"] == {"type": "integer", "default": 3}
    assert schema["required"] == ["needed"]
    assert schema_of(v.Schema({"plain": int}, required=True))["required"] == ["plain"]
