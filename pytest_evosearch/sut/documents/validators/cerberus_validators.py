"""Reads the rules of cerberus, which are JSON schema with other keywords."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.hooks import DEEPEST_NESTING
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import enumeration
from pytest_evosearch.sut.documents.validators.hooks import limits
from pytest_evosearch.sut.documents.validators.hooks import object_schema
from pytest_evosearch.sut.documents.validators.named_types import schema_named


def hooks(library: ModuleType) -> list[Hook]:
    """Return `validate`, and its name for a validator that is called directly."""
    owner = next(kind for kind in library.Validator.__mro__ if "validate" in vars(kind))
    return [
        Hook(owner, name, _identity, _parts)
        for name in ("validate", "__call__")
        if name in vars(owner)
    ]


def _identity(
    validator: Any, _document: object, schema: object = None, *_more: object, **_keywords: object
) -> Hashable:
    return Same(validator.schema if schema is None else schema)


def _parts(
    validator: Any, document: object, schema: object = None, *further: object, **keywords: object
) -> Iterable[Part]:
    rules = validator.schema if schema is None else schema
    update = bool(further[0] if further else keywords.get("update", False))
    demanding = bool(getattr(validator, "require_all", False)) and not update

    def read() -> Schema:
        found = _object(rules, demanding, DEEPEST_NESTING)
        if update:
            found.pop("required", None)
        return found

    return [Part(document, read)]


def _object(fields: Any, demanding: bool, depth: int) -> Schema:
    """Return the schema of an object with rules for `fields`; ignore names of registries."""
    properties: dict[str, Schema] = {}
    required = []
    for name, rules in _items(fields):
        properties[str(name)] = _value(rules, demanding, depth)
        if isinstance(rules, Mapping) and rules.get("required", demanding):
            required.append(str(name))
    return object_schema(properties, required)


def _items(fields: Any) -> Iterable[tuple[Any, Any]]:
    return list(fields.items()) if isinstance(fields, Mapping) else []


def _value(rules: Any, demanding: bool, depth: int) -> Schema:
    if not isinstance(rules, Mapping):
        return {}
    schema = _typed(rules.get("type"))
    schema.update(_constraints(rules, schema.get("type") == "array"))
    if depth > 0:
        schema.update(_inner(rules, schema, demanding, depth - 1))
    if rules.get("nullable"):
        schema["nullable"] = True
    default = rules.get("default")
    return (
        {**schema, "default": default} if isinstance(default, (bool, int, float, str)) else schema
    )


def _typed(name: Any) -> Schema:
    if isinstance(name, (list, tuple)):
        known = [schema["type"] for one in name if (schema := schema_named(one))]
        return {"type": list(dict.fromkeys(known))} if known else {}
    return schema_named(name) if isinstance(name, str) else {}


def _constraints(rules: Mapping[str, Any], is_array: bool) -> Schema:
    counted = ("minItems", "maxItems") if is_array else ("minLength", "maxLength")
    least = rules.get("minlength", 1 if rules.get("empty") is False else None)
    schema = {
        **limits(rules.get("min"), rules.get("max"), ("minimum", "maximum")),
        **limits(least, rules.get("maxlength"), counted),
    }
    regex = rules.get("regex")
    if isinstance(regex, str):
        schema["pattern"] = f"^(?:{regex})$"  # cerberus matches the whole text
    allowed = rules.get("allowed")
    if isinstance(allowed, Iterable) and not isinstance(allowed, str):
        options = enumeration(allowed)
        schema.update({"items": options} if is_array else options)
    return schema


def _inner(rules: Mapping[str, Any], schema: Schema, demanding: bool, depth: int) -> Schema:
    """Return the rules for inner values and for alternatives."""
    inner = rules.get("schema")
    found: Schema = {}
    if schema.get("type") == "array" and isinstance(inner, Mapping):
        found["items"] = _value(inner, demanding, depth)
    elif isinstance(inner, Mapping):
        found.update(_object(inner, demanding, depth))
    items = rules.get("items")
    if isinstance(items, (list, tuple)) and items:
        found["prefixItems"] = [_value(item, demanding, depth) for item in items]
        found["minItems"] = found["maxItems"] = len(items)
    further = rules.get("valuesrules", rules.get("valueschema"))
    if isinstance(further, Mapping):
        found["additionalProperties"] = _value(further, demanding, depth)
    for word in ("anyof", "oneof"):
        alternatives = rules.get(word)
        if isinstance(alternatives, (list, tuple)) and alternatives:
            found["anyOf"] = [_value(one, demanding, depth) for one in alternatives]
    return found
