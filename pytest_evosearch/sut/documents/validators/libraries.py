"""The libraries whose validators are caught, each with our module that reads it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from collections.abc import Mapping
from types import ModuleType
from typing import cast

from pytest_evosearch.sut.documents.validators.hooks import Hook

_READERS: Mapping[str, str] = {
    "marshmallow.schema": "marshmallow_schemas",
    "pydantic.main": "pydantic_models",
    "pydantic.type_adapter": "pydantic_adapters",
    "pydantic.v1.main": "pydantic_models",
    "wtforms.form": "wtforms_forms",
    "jsonschema.validators": "jsonschema_validators",
    "flask_restx.reqparse": "request_parsers",
    "flask_restful.reqparse": "request_parsers",
    "flask_restplus.reqparse": "request_parsers",
    "pyparsing.core": "pyparsing_grammars",
    "lark.lark": "lark_grammars",
}
"""The module that must be loaded -> its reader: a module with a function ``hooks``."""

LIBRARIES = tuple(_READERS)


def hooks_of(library: ModuleType) -> list[Hook]:
    """Return the validating functions of a loaded library."""
    package = __name__.rpartition(".")[0]
    reader = importlib.import_module(f"{package}.{_READERS[library.__name__]}")
    hooks = cast("Callable[[ModuleType], list[Hook]]", reader.hooks)
    return hooks(library)
