from __future__ import annotations

import pytest

from pytest_evosearch.sut.documents.validators.hooks import LARGEST_SCHEMA
from pytest_evosearch.sut.documents.validators.hooks import as_json


def parts_of(value):
    """Count the containers of `value`, shared ones each time: what a reader walks through."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(parts_of, inner)) + isinstance(value, (dict, list))


def test_components_that_every_schema_carries_are_read_once():
    components = {"schemas": {}}
    for number in range(30):
        components["schemas"][f"Kind{number}"] = {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "components": components,
        }
    found = as_json(components["schemas"]["Kind3"])
    assert parts_of(found) < 200
    assert found["properties"] == {"name": {"type": "string"}}
    assert found["components"]["schemas"]["Kind3"] == {"$ref": "#"}
    assert found["components"]["schemas"]["Kind4"]["components"] == {"$ref": "#/components"}


def test_a_schema_that_holds_itself_refers_to_itself():
    node = {"type": "object", "properties": {}}
    node["properties"]["next"] = node
    node["properties"]["a/b"] = {"anyOf": [{"type": "null"}, node]}
    other = {"type": "array", "items": node}
    assert as_json(other) == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "next": {"$ref": "#/items"},
                "a/b": {"anyOf": [{"type": "null"}, {"$ref": "#/items"}]},
            },
        },
    }


def test_no_reference_stands_where_names_of_properties_are_expected():
    properties = {}
    properties["child"] = {"type": "object", "properties": properties}
    assert as_json({"properties": properties}) == {
        "properties": {"child": {"type": "object", "properties": {}}}
    }


def test_what_two_places_share_stands_in_both():
    address = {"type": "object", "properties": {"city": {"type": "string"}}}
    schema = {"properties": {"from": address, "to": address}}
    assert as_json(schema) == schema


@pytest.mark.parametrize("make", [lambda inner: {"a": inner, "b": inner}, lambda one: [one, one]])
def test_what_is_shared_over_and_over_stays_readable(make):
    value = {"type": "string"}
    for _ in range(25):  # 33 million parts when each is unfolded wherever it stands
        value = make(value)
    assert parts_of(as_json(value)) <= 2 * LARGEST_SCHEMA
