"""Where an application answers GraphQL, and what its resolvers failed with."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from flask import Flask
from flask import abort
from flask import jsonify
from flask import request
from flask.views import View
from graphql import GraphQLError
from graphql import build_schema
from graphql import graphql_sync

from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.documents.graphql_schemas import graphql_addresses
from pytest_evosearch.sut.watching.resolver_failures import ResolverWatch

schema = build_schema("type Query { a(b: Int): Int }")


class SchemaHolder:
    """As those of Graphene and Strawberry."""

    def __init__(self) -> None:
        self._schema = build_schema("type Query { held: Int }")


class GraphQL(View):
    methods = ("GET", "POST")

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def dispatch_request(self) -> Any:
        return "no introspection here", 403


def answered(root: object = None) -> Any:
    asked = request.get_json()
    return jsonify(graphql_sync(schema, asked["query"], root).formatted)


def found_in(app: Flask) -> dict[str, list[str]]:
    def ask(**arguments: Any) -> RawResponse:
        return send(app.test_client(), **arguments)

    roots = {}
    for address in graphql_addresses(app, ask):
        types = {one["name"]: one for one in address.schema["types"]}
        root = types[address.schema["queryType"]["name"]]
        roots[address.path] = [field["name"] for field in root["fields"]]
    return roots


def test_what_is_called_graphql_is_asked() -> None:
    app = Flask("app")
    app.add_url_rule("/graphql/", "serve", answered, methods=["POST"])
    app.add_url_rule("/again/graphql", "again", lambda: answered(), methods=["POST"])
    app.add_url_rule("/graphql/broken", "broken", lambda: "", methods=["POST"])
    app.add_url_rule("/graphql/<name>", "named", lambda name: name, methods=["POST"])
    app.add_url_rule("/other", "other", lambda: "", methods=["POST"])
    assert found_in(app) == {"/graphql/": ["a"]}


def test_a_view_that_holds_a_schema_is_asked_whatever_it_is_called() -> None:
    app = Flask("app")
    app.add_url_rule("/ask", "serve", answered, methods=["POST"])
    assert found_in(app) == {"/ask": ["a"]}


def test_the_schema_of_a_view_that_refuses_introspection_is_taken_from_its_object() -> None:
    app = Flask("app")
    app.add_url_rule("/api", view_func=GraphQL.as_view("serve", schema=SchemaHolder()))
    assert found_in(app) == {"/api": ["held"]}


def test_an_application_without_graphql_is_asked_nothing() -> None:
    app = Flask("app")
    app.add_url_rule("/", "index", lambda: abort(500), methods=["POST"])
    assert graphql_addresses(app, lambda **_arguments: pytest.fail("asked")) == []


def test_a_running_server_is_asked_at_the_usual_addresses() -> None:
    asked = []

    def ask(**arguments: Any) -> RawResponse:
        asked.append((arguments["method"], arguments["path"]))
        return RawResponse(404, (), b"not found")

    assert graphql_addresses(Flask("empty", static_folder=None), ask) == []
    assert asked == [("POST", "/graphql"), ("POST", "/api/graphql")]


def refuse() -> None:
    raise ValueError("too many")


@pytest.mark.parametrize(
    ("resolve", "failure"),
    [
        (lambda _info, b=None: b + 1, TypeError),
        (lambda _info, b: b, TypeError),  # the schema lets it be left out
        (lambda _info, **_values: int("x"), ValueError),
        (lambda _info, **_values: sys.modules["json"].loads("{"), ValueError),
        (lambda _info, **_values: refuse(), None),
        (lambda _info, **_values: abort(404), None),
        (lambda _info, **_values: {}["handled"], None),
        (lambda _info, **_values: "no number", None),
        (lambda _info, **_values: 1, None),
    ],
)
def test_only_what_nobody_raises_for_callers_is_a_failure(
    resolve: Any, failure: type[Exception] | None
) -> None:
    app = Flask("app")
    app.register_error_handler(KeyError, lambda error: (str(error), 404))
    app.register_error_handler(Exception, lambda error: (str(error), 400))
    watch = ResolverWatch(app, lambda name: name == __file__)
    with watch.installed():
        watch.begin()
        graphql_sync(schema, "{ a }", {"a": resolve})
        found = watch.take()
        assert isinstance(found, failure) if failure else found is None
        watch.begin()
        assert watch.take() is None
    graphql_sync(schema, "{ a }", {"a": lambda _info: [][0]})
    assert watch.take() is None


def test_errors_of_graphql_are_answers() -> None:
    def resolve(_info: Any) -> None:
        raise GraphQLError("no")

    watch = ResolverWatch(Flask("app"), lambda name: name == __file__)
    with watch.installed():
        graphql_sync(schema, "{ a }", {"a": resolve})
    assert watch.take() is None
