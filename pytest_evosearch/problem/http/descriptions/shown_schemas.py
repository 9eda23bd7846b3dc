"""Schemas of examples: what a document shows, where it declares less, or something else."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.json_types import OF_PYTHON

Schema = dict[str, object]


def schema_of(value: object) -> Schema:
    """Return the schema of an example, with the example and everything in it required.

    Empty, for anything, where the example is no JSON.
    """
    if isinstance(value, Mapping):
        properties = {str(name): schema_of(part) for name, part in value.items()}
        return {"type": "object", "properties": properties, "required": list(properties)}
    if isinstance(value, list):
        return {"type": "array", "items": schema_of(value[0]) if value else True}
    known = OF_PYTHON.get(type(value))
    return {"type": known, "example": value} if known is not None else {}
