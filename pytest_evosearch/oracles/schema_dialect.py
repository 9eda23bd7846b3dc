"""From the schemas of OpenAPI documents to JSON Schema proper.

OpenAPI 2.0 and 3.0 are close to draft 4 but for ``nullable`` and ``writeOnly``; OpenAPI 3.1
is draft 2020-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Document: TypeAlias = Mapping[str, object]

_NULLABLE = ("nullable", "x-nullable")
_HOLDERS = ("components", "definitions", "responses", "paths")
"""Keys of a document that references lead into."""


def is_modern(document: Document) -> bool:
    """Say whether the schemas of `document` are JSON Schema as they stand (OpenAPI 3.1)."""
    version = str(document.get("openapi", ""))
    return version.startswith("3.") and not version.startswith("3.0")


def holders_of(document: Document) -> dict[str, object]:
    """Return the parts of `document` that schemas refer to, converted."""
    modern = is_modern(document)
    return {name: converted(document[name], modern) for name in _HOLDERS if name in document}


def converted(node: object, modern: bool) -> object:
    """Return `node` with every schema in it as a response has to obey it."""
    if isinstance(node, (list, tuple)):
        return [converted(part, modern) for part in node]
    if not isinstance(node, Mapping):
        return node
    schema: dict[str, object] = {
        str(word): part if word in ("example", "examples", "default") else converted(part, modern)
        for word, part in node.items()
    }
    _leave_out_write_only(schema)
    if modern or not any(schema.get(word) is True for word in _NULLABLE):
        return schema
    return _with_null(schema)


def _with_null(schema: dict[str, object]) -> dict[str, object]:
    return {"anyOf": [{"type": "null"}, {word: schema[word] for word in schema}]}


def _leave_out_write_only(schema: dict[str, object]) -> None:
    """Do not require what only requests carry."""
    required, properties = schema.get("required"), schema.get("properties")
    if not isinstance(required, list) or not isinstance(properties, dict):
        return
    kept = [name for name in required if not _is_write_only(properties.get(str(name)))]
    if kept:
        schema["required"] = kept
    else:
        del schema["required"]


def _is_write_only(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("writeOnly") is True
