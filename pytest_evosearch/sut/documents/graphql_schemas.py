"""Finds GraphQL addresses and their schemas: by introspection, or from objects."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.http_words import BEFORE_THE_CALLER
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.decorations import closure
from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.finding.mounted import mounted_applications

Schema: TypeAlias = "dict[str, Any]"
"""The value of ``__schema`` in an introspection response."""

Ask: TypeAlias = "Callable[..., RawResponse]"
"""Sends a request, given as keyword arguments of a client."""

_NAMED = re.compile(r"graph_?i?_?ql|(?:^|[^a-z])gql", re.IGNORECASE)
_USUAL = ("/graphql", "/api/graphql")
"""Usual GraphQL addresses, for a server with unknown routes."""

_HOLDERS = ("graphql_schema", "_schema")
"""Attributes of libraries' schemas (Graphene, Strawberry) that hold graphql-core's schema."""

_REFERENCE = "kind name" + " ofType { kind name" * 7 + " }" * 7
_VALUE = f"name defaultValue type {{ {_REFERENCE} }}"
INTROSPECTION = (
    "query IntrospectionQuery { __schema { queryType { name } mutationType { name } "
    "types { kind name "
    f"fields(includeDeprecated: true) {{ name description args {{ {_VALUE} }} "
    f"type {{ {_REFERENCE} }} }} inputFields {{ {_VALUE} }} "
    "enumValues(includeDeprecated: true) { name } possibleTypes { name } } } }"
)


@dataclass(frozen=True)
class GraphQLAddress:
    """An address that serves GraphQL."""

    path: str
    schema: Schema


@dataclass(frozen=True)
class _Candidate:
    path: str
    held: Any = None
    """The schema object of its view, None without one."""


def graphql_addresses(app: Any, ask: Ask) -> list[GraphQLAddress]:
    """Return the GraphQL addresses of `app`; of several with one schema, the first.

    `ask` sends an introspection query to addresses called GraphQL, and to views that hold a
    graphql-core schema. Where the query is refused, the schema comes from that object.
    """
    found: list[GraphQLAddress] = []
    for candidate in _candidates(app):
        schema = _schema_at(candidate, ask)
        if schema is not None and all(schema != known.schema for known in found):
            found.append(GraphQLAddress(candidate.path, schema))
    return found


def _candidates(app: Any) -> Iterator[_Candidate]:
    mounts = [("", app), *mounted_applications(app)]
    if not any(True for _path, one in mounts for _rule in one.url_map.iter_rules()):
        yield from map(_Candidate, _USUAL)
    for mount, one in mounts:
        for rule in one.url_map.iter_rules():
            if "POST" not in (rule.methods or ()) or rule.arguments - set(rule.defaults or ()):
                continue
            held = next(_schemas_of(one.view_functions.get(rule.endpoint)), None)
            if held is not None or _NAMED.search(f"{rule.rule} {rule.endpoint}"):
                yield _Candidate(mount + rule.rule, held)


def _schemas_of(view: Any) -> Iterator[Any]:
    """Yield the schemas that a view, or a function that it wraps, refers to."""
    for layer in layers(view):
        for value in _reachable(layer):
            for one in value.values() if type(value) is dict else (value,):
                schema = _core_schema(one)
                if schema is not None:
                    yield schema


def _reachable(function: FunctionType) -> list[Any]:
    """Return the objects that a function refers to: by closure, by globals, by view class."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    view_class = getattr(function, "view_class", None)
    members = list(vars(view_class).values()) if view_class is not None else []
    return [*closure(function).values(), *named, *members]


def _core_schema(value: Any) -> Any:
    """Return the graphql-core schema that `value` is or holds, else None."""
    if is_made_by(value, "graphql", "GraphQLSchema"):
        return value
    for name in _HOLDERS:
        with suppress(Exception):  # attributes of arbitrary objects may raise anything
            inner = vars(value).get(name)
            if is_made_by(inner, "graphql", "GraphQLSchema"):
                return inner
    return None


def _schema_at(candidate: _Candidate, ask: Ask) -> Schema | None:
    answer = ask(method="POST", path=candidate.path, json={"query": INTROSPECTION})
    content = _content(answer)
    schema = _schema_in(content)
    if schema is not None or candidate.held is None:
        return schema
    is_refusal = (
        FIRST_REFUSAL <= answer.status < FIRST_FAILURE and answer.status not in BEFORE_THE_CALLER
    )
    refused = is_refusal or (isinstance(content, dict) and "errors" in content)
    return _introspected(candidate.held) if refused else None


def _content(answer: RawResponse) -> object:
    try:
        return json.loads(answer.body)
    except ValueError:
        return None


def _schema_in(content: object) -> Schema | None:
    data = content.get("data") if isinstance(content, dict) else None
    schema = data.get("__schema") if isinstance(data, dict) else None
    return schema if isinstance(schema, dict) and schema.get("queryType") else None


def _introspected(held: Any) -> Schema | None:
    """Return the introspection of a schema; graphql-core is imported where there is a schema."""
    core = sys.modules.get("graphql")
    execute = getattr(core, "graphql_sync", None) or getattr(core, "graphql", None)
    if execute is None:
        return None
    try:
        data = execute(held, INTROSPECTION).data
    except Exception:  # any version may fail, and so may middlewares of the application
        return None
    return _schema_in({"data": json.loads(json.dumps(data))})
