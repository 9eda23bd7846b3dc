"""Reads `reqparse` of flask-restx, flask-restful and flask-restplus."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from pytest_evosearch.core.http_words import BODILESS
from pytest_evosearch.sut.documents.validators.data_places import request_in_progress
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Placed
from pytest_evosearch.sut.documents.validators.hooks import Same
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import as_json
from pytest_evosearch.sut.documents.validators.hooks import enumeration
from pytest_evosearch.sut.documents.validators.hooks import limits
from pytest_evosearch.sut.documents.validators.hooks import object_schema
from pytest_evosearch.sut.documents.validators.hooks import pattern
from pytest_evosearch.sut.documents.validators.named_types import schema_named

_PLACES = {
    "json": "json",
    "get_json": "json",
    "form": "form",
    "files": "form",
    "args": "query",
    "headers": "header",
    "cookies": "cookie",
}


def hooks(library: ModuleType) -> list[Hook]:
    """Return the method that parses a handler's request."""
    return [Hook(library.RequestParser, "parse_args", _identity, _parts)]


def _identity(parser: Any, *_arguments: object, **_keywords: object) -> Hashable:
    return Same(parser)


def _parts(parser: Any, *_arguments: object, **_keywords: object) -> Iterable[Part]:
    request = request_in_progress()
    if request is None:
        return []
    places = dict.fromkeys(_place(argument, request.method) for argument in parser.args)

    def reading(place: str) -> Part:
        chosen = [one for one in parser.args if _place(one, request.method) == place]
        return Part(Placed(place), lambda: _schema(chosen))

    return [reading(place) for place in places]


def _place(argument: Any, method: str) -> str:
    """Return the best place for an argument; by default JSON."""
    given = argument.location
    known = [given] if isinstance(given, str) else list(given)
    if method in BODILESS:
        known = [name for name in known if name not in ("json", "get_json")] or known
    for name in known:
        if name in _PLACES:
            return _PLACES[name]
    return "query" if method in BODILESS else "form"


def _schema(arguments: Iterable[Any]) -> Schema:
    properties = {str(argument.name): _argument(argument) for argument in arguments}
    required = [str(argument.name) for argument in arguments if argument.required]
    return object_schema(properties, required)


def _argument(argument: Any) -> Schema:
    schema = _typed(argument.type)
    if argument.choices:
        schema.update(enumeration(argument.choices))
    if argument.action in ("append", "split"):
        schema = {"type": "array", "items": schema}
    default = argument.default
    return (
        {**schema, "default": default} if isinstance(default, (bool, int, float, str)) else schema
    )


def _typed(kind: Any) -> Schema:
    """Return the schema of a type: its own, or one for a type of the libraries."""
    own = getattr(kind, "__schema__", None)
    if isinstance(own, Mapping):
        return _limited({str(word): as_json(value) for word, value in own.items()}, kind)
    if isinstance(kind, Mapping):
        return {"type": "object"}
    name = getattr(kind, "__name__", type(kind).__name__)
    if name == "regex":
        return {"type": "string", **pattern(kind.re)}
    if name == "int_range":
        return {"type": "integer", **limits(kind.low, kind.high, ("minimum", "maximum"))}
    if name in ("positive", "natural"):
        return {"type": "integer", "minimum": int(name == "positive")}
    return schema_named(name)


def _limited(schema: Schema, kind: Any) -> Schema:
    """Return `schema` with a pattern in the meaning of `re.match`."""
    regex = getattr(kind, "re", None)
    return schema if regex is None else {**schema, **pattern(regex)}
