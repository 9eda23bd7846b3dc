"""Exchanges with and without the faults of `oracles.response_schema`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def response_schema() -> Iterator[Example]:
    item = {
        "type": "object",
        "required": ["id", "secret"],
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string", "nullable": True},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "secret": {"type": "string", "writeOnly": True},
        },
    }
    document = {"openapi": "3.0.3", "components": {"schemas": {"Item": item}}}
    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}
    declared = {"200": {"content": {"application/json": {"schema": schema}}}}
    known = Knowledge(responses={"GET /a": declared}, document=document)

    def answer(body: bytes, status: int = 200) -> tuple[Exchange, ...]:
        headers = (("Content-Type", "application/json"),)
        return (Exchange(Request("GET", "/a"), Response(status, headers, body)),)

    yield Example(answer(b'[{"id": 1, "name": null}]'), (), known)
    yield Example(answer(b'[{"id": "1"}]'), ("200 [].id: type",), known)
    yield Example(answer(b'[{"name": "a"}]'), ("200 []: required id",), known)
    yield Example(answer(b'[{"id": 1, "kind": 7}]'), ("200 [].kind: type",), known)
    yield Example(answer(b'[{"id": 1, "kind": "c"}]'), ("200 [].kind: enum",), known)
    yield Example(answer(b'{"error": "x"}', 404), (), known)
    yield Example(answer(b"no json"), (), known)
    remark = {"200": declared["200"], "default": declared["200"]}
    general = Knowledge(responses={"GET /a": remark}, document=document)
    refusal = answer(b'{"error": "x"}', 404)
    yield Example(refusal, (), general)
    yield Example((*answer(b"[]", 400), *refusal), ("404 type",), general)
    successes = {"default": declared["200"]}
    only = Knowledge(responses={"GET /a": successes}, document=document)
    yield Example((*answer(b"[]", 400), *refusal), (), only)
    yield Example(answer(b"{}"), ("200 type",), only)
    yield Example(answer(b'[{"id": "1"}]'))
    masked = Request("GET", "/a", headers=(("X-Fields", "name"),))
    part = Response(200, (("Content-Type", "application/json"),), b'[{"name": "a"}]')
    yield Example((Exchange(masked, part),), (), known)
