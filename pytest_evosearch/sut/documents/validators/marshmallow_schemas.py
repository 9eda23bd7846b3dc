"""Reads marshmallow schemas (3 and 4) that a handler, webargs or flask-smorest calls."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.hooks import DEEPEST_NESTING
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import as_json
from pytest_evosearch.sut.documents.validators.hooks import enumeration
from pytest_evosearch.sut.documents.validators.hooks import kinds_of
from pytest_evosearch.sut.documents.validators.hooks import limits
from pytest_evosearch.sut.documents.validators.hooks import object_schema
from pytest_evosearch.sut.documents.validators.hooks import pattern
from pytest_evosearch.sut.documents.validators.named_types import schema_named


def hooks(library: ModuleType) -> list[Hook]:
    """Return the one function that `load`, `loads` and `validate` call."""
    return [Hook(library.Schema, "_do_load", _identity, _parts)]


def _identity(
    schema: Any, _data: object, *, many: Any = None, partial: Any = None, **_further: object
) -> Hashable:
    """Return the class, with the instance's arguments and changes.

    Many instances are made for one call.
    """
    chosen = None if schema.only is None else tuple(sorted(schema.only))
    partial = schema.partial if partial is None else partial
    partial = partial if isinstance(partial, bool | None) else tuple(sorted(partial))
    many = schema.many if many is None else many
    dropped = tuple(sorted(schema.exclude))
    return (type(schema), tuple(schema.load_fields), chosen, dropped, partial, many)


def _parts(
    schema: Any, data: object, *, many: Any = None, partial: Any = None, **_further: object
) -> Iterable[Part]:
    def read() -> Schema:
        found = _schema(schema, partial, DEEPEST_NESTING)
        is_many = schema.many if many is None else many
        return {"type": "array", "items": found} if is_many else found

    return [Part(data, read)]


def _schema(schema: Any, partial: Any, depth: int) -> Schema:
    """Return the schema of what a schema loads, with fields in the order of declaration."""
    partial = schema.partial if partial is None else partial
    declared = list(schema._declared_fields)
    fields = sorted(
        schema.load_fields.items(),
        key=lambda item: declared.index(item[0]) if item[0] in declared else len(declared),
    )
    properties: dict[str, Schema] = {}
    required = []
    for name, field in fields:
        sent_as = field.data_key or name
        properties[sent_as] = _field(field, depth)
        optional = partial is True or (isinstance(partial, (tuple, list, set)) and name in partial)
        if field.required and not optional:
            required.append(sent_as)
    return object_schema(properties, required)


def _field(field: Any, depth: int) -> Schema:
    schema = _typed(field, depth)
    for validator in field.validators:
        schema = _validated(schema, validator)
    if field.allow_none:
        schema["nullable"] = True
    default = getattr(field, "load_default", getattr(field, "missing", None))
    if isinstance(default, (bool, int, float, str)):
        schema["default"] = default
    example = field.metadata.get("example")
    return schema if example is None else {**schema, "example": as_json(example)}


def _typed(field: Any, depth: int) -> Schema:
    """Return the schema for a field's class; for a class of the application, that of its bases."""
    for kind in kinds_of(field, "marshmallow"):
        if kind in ("Dict", "Mapping"):
            inner = field.value_field
            known = {} if inner is None else {"additionalProperties": _field(inner, depth)}
            return {"type": "object", **known}
        if kind == "List":
            return {"type": "array", "items": _field(field.inner, depth)}
        if kind == "Pluck":
            return _plucked(field, depth)
        if kind == "Nested":
            return _nested(field, depth)
        if kind == "Enum":
            return _options(field)
        if kind == "Constant":
            return enumeration([field.constant])
        found = schema_named(kind, getattr(field, "format", None))
        if found:
            return found
    # `EnumField` of marshmallow-enum, for example, is a plain field to marshmallow.
    return _options(field) if hasattr(field, "enum") else {}


def _options(field: Any) -> Schema:
    """Return the members of an enumeration in sent form: by name, or by value."""
    by_value = getattr(field, "by_value", False) or getattr(field, "load_by", None) == "value"
    return enumeration(member.value if by_value else member.name for member in field.enum)


def _nested(field: Any, depth: int) -> Schema:
    if depth <= 0:
        return {"type": "object"}
    inner = _schema(field.schema, None, depth - 1)
    return {"type": "array", "items": inner} if field.many or field.schema.many else inner


def _plucked(field: Any, depth: int) -> Schema:
    inner = _field(field.schema.fields[field.field_name], depth - 1) if depth > 0 else {}
    return {"type": "array", "items": inner} if field.many else inner


def _validated(schema: Schema, validator: Any) -> Schema:
    """Return `schema` with the additional rules of a library validator."""
    for kind in kinds_of(validator, "marshmallow"):
        if kind == "And":
            for one in validator.validators:
                schema = _validated(schema, one)
            return schema
        reader = _VALIDATORS.get(kind)
        if reader is not None:
            return {**schema, **reader(schema, validator)}
    return schema


def _length(schema: Schema, validator: Any) -> Schema:
    low = high = validator.equal
    if validator.equal is None:
        low, high = validator.min, validator.max
    is_array = schema.get("type") == "array"
    return limits(low, high, ("minItems", "maxItems") if is_array else ("minLength", "maxLength"))


def _range(_schema: Schema, validator: Any) -> Schema:
    low = "minimum" if getattr(validator, "min_inclusive", True) else "exclusiveMinimum"
    high = "maximum" if getattr(validator, "max_inclusive", True) else "exclusiveMaximum"
    return limits(validator.min, validator.max, (low, high))


def _each_of(schema: Schema, validator: Any) -> Schema:
    return {"items": {**schema.get("items", {}), **enumeration(validator.choices)}}


_VALIDATORS: Mapping[str, Callable[[Schema, Any], Schema]] = {
    "Length": _length,
    "Range": _range,
    "OneOf": lambda _schema, validator: enumeration(validator.choices),
    "Equal": lambda _schema, validator: enumeration([validator.comparable]),
    "ContainsOnly": _each_of,
    "Regexp": lambda _schema, validator: pattern(validator.regex),
    "Email": lambda _schema, _validator: {"format": "email"},
    "URL": lambda _schema, _validator: {"format": "uri"},
}
