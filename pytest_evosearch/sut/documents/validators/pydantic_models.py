"""Reads pydantic models of versions 1 and 2: both provide their own JSON schema."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from types import ModuleType
from typing import Any
from typing import cast

from pytest_evosearch.sut.documents.validators.hooks import PYTHON_TYPES
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import as_json
from pytest_evosearch.sut.documents.validators.hooks import object_schema


def hooks(library: ModuleType) -> list[Hook]:
    """Return the constructor and, for version 2, the class methods that bypass it.

    `parse_obj` and `parse_raw` call one of them.
    """
    model = library.BaseModel
    made = Hook(model, "__init__", _identity_of_instance, _parts_of_constructor)
    others = [
        Hook(model, name, _identity, _parts)
        for name in ("model_validate", "model_validate_json")
        if name in vars(model)
    ]
    return [made, *others]


def _identity_of_instance(instance: Any, /, *_values: object, **_data: object) -> Hashable:
    return cast("Hashable", type(instance))


def _parts_of_constructor(instance: Any, /, *_values: object, **data: object) -> Iterable[Part]:
    return [Part(data, lambda: schema_of_model(type(instance)))]


def _identity(model: Any, /, *_values: object, **_keywords: object) -> Hashable:
    return cast("Hashable", model)


def _parts(model: Any, /, *values: object, **keywords: object) -> Iterable[Part]:
    data = values[0] if values else keywords.get("obj", keywords.get("json_data"))
    return [Part(data, lambda: schema_of_model(model))]


def schema_of_model(model: Any) -> Schema:
    """Return the schema by which `model` validates, without parts that pydantic cannot describe."""
    describe: Callable[[], Any] = getattr(model, "model_json_schema", None) or model.schema
    try:
        schema: Schema = as_json(describe())
    except Exception:
        # One field of a type of the application is enough.
        return _field_by_field(model)
    return schema


def _field_by_field(model: Any) -> Schema:
    """Return a schema with the describable fields, of plain types."""
    fields = getattr(model, "model_fields", None) or getattr(model, "__fields__", {})
    properties: dict[str, Schema] = {}
    required = []
    for name, field in fields.items():
        sent_as = getattr(field, "alias", None) or name
        kind = getattr(field, "annotation", None) or getattr(field, "outer_type_", None)
        properties[sent_as] = dict(PYTHON_TYPES[kind]) if kind in PYTHON_TYPES else {}
        needed = field.is_required() if callable(getattr(field, "is_required", None)) else False
        if needed or getattr(field, "required", False) is True:
            required.append(sent_as)
    return object_schema(properties, required)
