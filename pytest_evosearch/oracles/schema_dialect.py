"""Converts the schemas of OpenAPI documents to JSON Schema.

OpenAPI 2.0 and 3.0 are close to draft 4, except ``nullable`` and ``writeOnly``.  OpenAPI 3.1 is
draft 2020-12.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any
from typing import TypeAlias

Document: TypeAlias = Mapping[str, object]

_NULLABLE = ("nullable", "x-nullable")
_HOLDERS = ("components", "definitions", "responses", "paths")
"""Keys of a document to which references lead."""


def is_modern(document: Document) -> bool:
    """Say whether the schemas of `document` are JSON Schema without conversion (OpenAPI 3.1)."""
    version = str(document.get("openapi", ""))
    return version.startswith("3.") and not version.startswith("3.0")


def is_available() -> bool:
    """Say whether the library is installed."""
    return importlib.util.find_spec("jsonschema") is not None


def compiled(schema: object, document: Document, holders: Document) -> Any:
    """Return a validator for one schema of `document`; `holders` come from `holders_of`."""
    jsonschema: Any = importlib.import_module("jsonschema")
    modern = is_modern(document)
    # References start at the root, so their targets are placed beside the schema.
    whole = {**holders, "allOf": [converted(schema, modern)]}
    if modern:
        return jsonschema.Draft202012Validator(whole)
    # Only draft 4 says that 1.0 is not an integer; readers of JSON accept it.
    types = jsonschema.Draft6Validator.TYPE_CHECKER
    return jsonschema.validators.extend(jsonschema.Draft4Validator, type_checker=types)(whole)


def holders_of(document: Document) -> dict[str, object]:
    """Return the converted parts of `document` to which schemas refer."""
    modern = is_modern(document)
    return {name: converted(document[name], modern) for name in _HOLDERS if name in document}


def resolved(node: object, document: Document) -> Mapping[str, object]:
    """Follow references inside the document as long as their targets exist."""
    for _step in range(10):
        if not isinstance(node, Mapping):
            return {}
        reference = node.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return node
        found: object = document
        for key in reference[2:].split("/"):
            name = key.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        node = found
    return {}


def converted(node: object, modern: bool) -> object:
    """Return `node` with every schema converted for responses."""
    if isinstance(node, (list, tuple)):
        return [converted(part, modern) for part in node]
    if not isinstance(node, Mapping):
        return node
    schema: dict[str, object] = {
        str(word): part
        if word in ("example", "examples", "default", "enum")
        else converted(part, modern)
        for word, part in node.items()
    }
    _leave_out(schema)
    if modern or not any(schema.get(word) is True for word in _NULLABLE):
        return schema
    return _with_null(schema)


def _with_null(schema: dict[str, object]) -> dict[str, object]:
    return {"anyOf": [{"type": "null"}, {word: schema[word] for word in schema}]}


def _leave_out(schema: dict[str, object]) -> None:
    """Make optional what only requests hold."""
    required, properties = schema.get("required"), schema.get("properties")
    if not isinstance(required, list) or not isinstance(properties, dict):
        return
    kept = [name for name in required if not _is_written(properties.get(str(name)))]
    if kept:
        schema["required"] = kept
    else:
        del schema["required"]


def _is_written(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("writeOnly") is True
