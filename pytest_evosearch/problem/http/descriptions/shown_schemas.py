"""Schemas made from a document's examples, where it declares less or something else."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.json_types import OF_PYTHON

Schema = dict[str, object]


def schema_of(value: object) -> Schema:
    """Return a schema made from an example; it requires all parts and keeps the example.

    The schema is empty, which accepts anything, where the example is not JSON.
    """
    if isinstance(value, Mapping):
        properties = {str(name): schema_of(part) for name, part in value.items()}
        return {"type": "object", "properties": properties, "required": list(properties)}
    if isinstance(value, list):
        return {"type": "array", "items": schema_of(value[0]) if value else True}
    known = OF_PYTHON.get(type(value))
    return {"type": known, "example": value} if known is not None else {}
