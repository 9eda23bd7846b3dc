"""Reads voluptuous schemas: Python types, literals, and validating functions."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.hooks import DEEPEST_NESTING
from pytest_evosearch.sut.documents.validators.hooks import PYTHON_TYPES
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import as_json
from pytest_evosearch.sut.documents.validators.hooks import enumeration
from pytest_evosearch.sut.documents.validators.hooks import kinds_of
from pytest_evosearch.sut.documents.validators.hooks import limits
from pytest_evosearch.sut.documents.validators.hooks import moment
from pytest_evosearch.sut.documents.validators.hooks import object_schema
from pytest_evosearch.sut.documents.validators.hooks import pattern
from pytest_evosearch.sut.documents.validators.named_types import schema_named

DEEPEST = DEEPEST_NESTING * 4
"""Deepest nesting of validators: ``All(Any(None, [Schema(...)]))`` has four levels."""


def hooks(library: ModuleType) -> list[Hook]:
    """Return the call of a schema."""
    return [Hook(library.Schema, "__call__", _identity, _parts)]


def _identity(schema: Any, _data: object) -> Hashable:
    return Same(schema)


def _parts(schema: Any, data: object) -> Iterable[Part]:
    return [Part(data, lambda: _Reader(bool(schema.required)).read(schema.schema, DEEPEST))]


class _Reader:
    """Reads one schema; keys without a marker are required if the schema says so."""

    def __init__(self, required: bool) -> None:
        self._required = required

    def read(self, node: Any, depth: int) -> Schema:
        """Return the schema for `node`; empty for functions of the application."""
        if depth <= 0:
            return {}
        if isinstance(node, Mapping):
            return self._mapping(node, depth)
        if isinstance(node, (list, tuple, set, frozenset)):
            return self._sequence(node, depth)
        if isinstance(node, type):
            return dict(PYTHON_TYPES.get(node, {}))
        if node is None or isinstance(node, (bool, int, float, str)):
            return {"enum": [node]}
        for kind in kinds_of(node, "voluptuous"):
            if kind == "Schema":
                return _Reader(bool(node.required)).read(node.schema, depth - 1)
            if kind in ("All", "And"):
                return self._all(node, depth)
            if kind in ("Any", "Or", "Union", "Switch"):
                return self._any(node, depth)
            reader = _VALIDATORS.get(kind)
            if reader is not None:
                return reader(node)
        name = getattr(node, "__name__", "")  # the library's decorator keeps the names of functions
        if name in ("IsTrue", "IsFalse"):
            return {"enum": [name == "IsTrue"]}
        return schema_named(name) if name[:1].isupper() else {}

    def _mapping(self, node: Mapping[Any, Any], depth: int) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        further: Schema | None = None
        for key, value in node.items():
            kinds = kinds_of(key, "voluptuous")
            name = key.schema if kinds else key
            if not isinstance(name, str):
                further = self.read(value, depth - 1)
            elif "Remove" not in kinds:
                properties[name] = _with_default(self.read(value, depth - 1), key)
                if "Required" in kinds or (self._required and not kinds):
                    required.append(name)
        schema = object_schema(properties, required)
        return schema if further is None else {**schema, "additionalProperties": further}

    def _sequence(self, node: Iterable[Any], depth: int) -> Schema:
        members = list(node)
        if not members:
            return {"type": "array"}
        inner = [self.read(member, depth - 1) for member in members]
        return {"type": "array", "items": inner[0] if len(inner) == 1 else {"anyOf": inner}}

    def _all(self, node: Any, depth: int) -> Schema:
        """Return the conjunction of all rules: most are partial, and a later one is narrower."""
        schema: Schema = {}
        for validator in node.validators:
            found = self.read(validator, depth - 1)
            if schema.get("type") == "array" and "minLength" in found:
                found["minItems"] = found.pop("minLength")
            if schema.get("type") == "array" and "maxLength" in found:
                found["maxItems"] = found.pop("maxLength")
            schema.update(found)
        return schema

    def _any(self, node: Any, depth: int) -> Schema:
        found = [self.read(validator, depth - 1) for validator in node.validators]
        if all(set(one) == {"enum"} for one in found):
            return enumeration(option for one in found for option in one["enum"])
        alternatives = [one for one in found if one not in ({"enum": [None]}, {"type": "null"})]
        if len(alternatives) == 1:
            return {**alternatives[0], "nullable": True}
        schema: Schema = {"anyOf": alternatives}
        return {**schema, "nullable": True} if len(alternatives) < len(found) else schema


def _with_default(schema: Schema, key: Any) -> Schema:
    default = getattr(key, "default", None)
    if not callable(default):
        return schema
    value = default()
    return {**schema, "default": value} if isinstance(value, (bool, int, float, str)) else schema


def _coerced(node: Any) -> Schema:
    return dict(PYTHON_TYPES.get(node.type, {})) if isinstance(node.type, type) else {}


def _range(node: Any) -> Schema:
    low = "minimum" if node.min_included else "exclusiveMinimum"
    high = "maximum" if node.max_included else "exclusiveMaximum"
    return limits(node.min, node.max, (low, high))


_VALIDATORS: Mapping[str, Callable[[Any], Schema]] = {
    "Coerce": _coerced,
    "Range": _range,
    "Clamp": lambda node: limits(node.min, node.max, ("minimum", "maximum")),
    "Length": lambda node: limits(node.min, node.max, ("minLength", "maxLength")),
    "In": lambda node: enumeration(node.container),
    "Contains": lambda _node: {"type": "array"},
    "Equal": lambda node: enumeration([node.target]),
    "Literal": lambda node: {"enum": [as_json(node.lit)]},
    "Match": lambda node: {"type": "string", **pattern(node.pattern)},
    "Date": lambda node: moment("date", node.format),
    "Datetime": lambda node: moment("date-time", node.format),
}
