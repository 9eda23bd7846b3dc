"""Describes endpoints by the pydantic models in the signatures and decorators of their views.

Flask-Pydantic keeps no document. Neither does spectree before its registration, nor a decorator of
the project. All of them keep a model in a variable or parameter with a name like ``query`` or
``body``.
"""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from types import FunctionType
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.english import plural
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.decorations import views_of

Schema: TypeAlias = "dict[str, Any]"

PARAMETERS: Mapping[str, str] = {
    name: place for place in ("query", "header", "cookie") for name in (place, plural(place))
}
BODIES: Mapping[str, str] = {
    "json": "application/json",
    "body": "application/json",
    "form": "application/x-www-form-urlencoded",
}
ROLES = (*PARAMETERS, *BODIES)
"""Names that decorators and signatures give to the parts of a request."""

MANY = "request_body_many"
"""Flask-Pydantic's flag for a body that is a list."""

TELLING = 2
"""Number of these names in a closure from which on a function is a validating decorator."""

AUTOMATIC = ("HEAD", "OPTIONS")

_VARIABLE = re.compile(r"<(?:[^<>:]*:)?([^<>]*)>")


def document_of_models(app: Any) -> Schema | None:
    """Return an OpenAPI document made from models of the views, None without models."""
    if "pydantic" not in sys.modules:
        return None
    found = _Collection()
    for rule, method, view in views_of(app):
        if method in AUTOMATIC:
            continue
        # A model may refer to a type without a JSON schema, or to a missing name.
        with suppress(Exception):
            found.add(rule, method, view)
    if not found.paths:
        return None
    return {
        "openapi": "3.1.0",
        "info": {"title": "models", "version": "1"},
        "paths": found.paths,
        "components": {"schemas": found.schemas},
    }


@dataclass
class _Collection:
    """Paths and schemas found so far."""

    paths: dict[str, Schema] = field(default_factory=dict)
    schemas: dict[str, Any] = field(default_factory=dict)

    def add(self, rule: Any, method: str, view: FunctionType) -> None:
        """Describe one method of one rule, if it has models."""
        decorators = layers(view)
        parameters: list[Schema] = []
        content: Schema = {}
        for role, model in _models(decorators):
            schema = self._schema(_name_of(model), _describing(model))
            if role in PARAMETERS:
                parameters += self._one_by_one(schema, PARAMETERS[role])
            elif any(closure(layer).get(MANY) is True for layer in decorators):
                content[BODIES[role]] = {"schema": {"type": "array", "items": schema}}
            else:
                content[BODIES[role]] = {"schema": schema}
        if any(_validates(layer) for layer in decorators):
            parameters += self._of_path(rule, decorators)
        operation: Schema = {"parameters": parameters} if parameters else {}
        if content:
            operation["requestBody"] = {"required": True, "content": content}
        if operation:
            template = _VARIABLE.sub(r"{\1}", rule.rule)
            self.paths.setdefault(template, {})[method.lower()] = operation

    def _of_path(self, rule: Any, decorators: list[FunctionType]) -> Iterator[Schema]:
        """Yield the variables of the rule that the signature describes."""
        adapter: Any = getattr(sys.modules["pydantic"], "TypeAdapter", None)
        if adapter is None:  # pydantic 1
            return
        hints = {name: hint for layer in decorators for name, hint in _hints(layer).items()}
        for name in sorted(rule.arguments & set(hints)):
            schema = self._schema(f"{rule.endpoint}.{name}", adapter(hints[name]).json_schema)
            yield {"name": name, "in": "path", "required": True, "schema": schema}

    def _schema(self, name: str, describe: Callable[..., Schema]) -> Schema:
        """Return a schema whose parts were moved to the schemas of the document."""
        schema = dict(describe(ref_template=f"#/components/schemas/{name}:{{model}}"))
        for holder in ("$defs", "definitions"):
            for part, inner in schema.pop(holder, {}).items():
                self.schemas[f"{name}:{part}"] = inner
        return schema

    def _one_by_one(self, schema: Schema, where: str) -> Iterator[Schema]:
        """Yield the fields of a model as separate parameters."""
        schema = self.schemas.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
        for name, inner in schema.get("properties", {}).items():
            required = name in schema.get("required", ())
            yield {"name": name, "in": where, "required": required, "schema": inner}


def _models(decorators: list[FunctionType]) -> Iterator[tuple[str, Any]]:
    """Yield the outermost model of each part of the request."""
    for role in ROLES:
        named = (
            value
            for layer in decorators
            for value in (_hints(layer).get(role), closure(layer).get(role))
        )
        model = next(filter(None, map(_model, named)), None)
        if model is not None:
            yield role, model


def _model(value: Any) -> Any:
    """Return `value` when it is a model, the model in ``Model | None``, else None."""
    for candidate in (value, *typing.get_args(value)):
        if issubclass(type(candidate), type) and any(
            base.__name__ == "BaseModel" and base.__module__.startswith("pydantic.")
            for base in candidate.__mro__
        ):
            return candidate
    return None


def _hints(function: FunctionType) -> dict[str, Any]:
    """Return the annotations of `function`, with texts resolved to objects."""
    # With `from __future__ import annotations`, also names that only a type checker imports.
    with suppress(Exception):
        return typing.get_type_hints(function, include_extras=True)
    return dict(function.__annotations__)


def _validates(function: FunctionType) -> bool:
    return len(set(function.__code__.co_freevars) & set(ROLES)) >= TELLING


def _name_of(model: Any) -> str:
    return f"{model.__module__}.{model.__qualname__}"


def _describing(model: Any) -> Callable[..., Schema]:
    """Return the method that makes the schema, of pydantic 2 or 1."""
    describe: Callable[..., Schema] = getattr(model, "model_json_schema", None) or model.schema
    return describe
