"""Exchanges with and without the faults of `oracles.request_schema`."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def invalid_accepted() -> Iterator[Example]:
    schema = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": {"type": "string"},
            "stars": {"type": "integer", "maximum": 5, "nullable": True},
        },
    }
    page = {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}}
    operation = {
        "parameters": [page],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
    }
    known = Knowledge(operations={"POST /a": operation}, document={"openapi": "3.0.3"})

    def answered(body: object, status: int = 201, page: object = 1) -> tuple[Exchange, ...]:
        query = (("page", page),)
        request = Request("POST", "/a", query=query, json=body, has_json=True)
        return (Exchange(request, Response(status)),)

    yield Example(answered({"name": "a", "stars": 5}), (), known)
    yield Example(answered({"name": "a", "stars": 9}), ("stars: maximum",), known)
    yield Example(answered({"name": "a", "stars": 9}, 422), (), known)
    yield Example(answered({"stars": 1}), (": required name",), known)
    yield Example(answered({"name": 5, "stars": None, "more": 1}), (), known)
    yield Example(answered({"name": []}), ("name: type",), known)
    yield Example(answered({"name": "a", "id": []}), (), known)
    yield Example(answered({"name": "a"}, page="0"), ("query page: minimum",), known)
    yield Example(answered({"name": "a", "stars": 9}))


def valid_refused() -> Iterator[Example]:
    kind = {"type": "string", "enum": ["a", "b"]}
    schema = {"type": "object", "properties": {"kind": kind, "name": {"type": "string"}}}
    operation = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    fields: Mapping[str, Mapping[str, object]] = {
        "kind": {**kind, "x-required": False},
        "name": {"type": "string"},
    }
    known = Knowledge(
        operations={"POST /a": operation}, fields={"POST /a": fields}, document={"openapi": "3"}
    )

    def sent(body: object, status: int, text: bytes = b"") -> Exchange:
        return Exchange(Request("POST", "/a", json=body, has_json=True), Response(status, (), text))

    served = sent({"kind": "a", "name": "x"}, 201)
    yield Example((sent({"kind": "b", "name": "x"}, 422), served), ("kind as declared",), known)
    yield Example((sent({"kind": "c", "name": "x"}, 422), served), (), known)
    yield Example((sent({"kind": "b", "name": "y"}, 422), served), (), known)
    yield Example((sent({"kind": "a", "name": "y"}, 422), served), (), known)
    yield Example((served, sent({"kind": "b", "name": "x"}, 422)), (), known)
    left_out = sent({"name": "x"}, 400, b"kind is missing")
    yield Example((left_out, served), ("without kind",), known)
    yield Example((sent({"name": "x"}, 400), served), (), known)
