from __future__ import annotations

from typing import Any

import pytest

from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.oracle import judged
from pytest_evosearch.oracles.response_schema import ResponseSchemaOracle
from pytest_evosearch.oracles.schema_dialect import is_available
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

pytestmark = pytest.mark.skipif(not is_available(), reason="needs jsonschema")

ERROR = {"type": "object", "properties": {"path": {"type": "string"}}}
LARGE = {**ERROR, "description": "what is wrong with the request " * 9}
REFERENCE = {"$ref": "#/definitions/Error"}


def _faults(status: int, *schemas: dict[str, Any]) -> list[Fault]:
    """Return the faults of one response to several endpoints, each with its declared schema."""
    endpoints = {
        f"GET /{number}": {str(status): {"schema": schema}} for number, schema in enumerate(schemas)
    }
    document = {"swagger": "2.0", "definitions": {"Error": ERROR}}
    oracle = ResponseSchemaOracle(Knowledge(responses=endpoints, document=document))
    headers = (("Content-Type", "application/json"),)
    wrong = Response(status, headers, b'{"path": []}')
    requests = [Request(*endpoint.split()) for endpoint in endpoints]
    return list(judged([oracle], [Exchange(request, wrong) for request in requests]))


@pytest.mark.parametrize("schema", [REFERENCE, ERROR, LARGE])
def test_one_contradiction_to_equal_schemas_of_refusals_is_one_fault(
    schema: dict[str, Any],
) -> None:
    first, second = _faults(422, schema, schema)

    assert first.target == second.target
    assert first.way == second.way != ""
    assert (first.endpoint, second.endpoint) == ("GET /0", "GET /1")


def test_refusals_with_other_schemas_are_other_faults() -> None:
    assert len({fault.target for fault in _faults(422, ERROR, LARGE, REFERENCE)}) == 3


def test_each_endpoint_has_its_own_fault_in_a_successful_response() -> None:
    first, second = _faults(200, REFERENCE, REFERENCE)

    assert first.target != second.target
    assert first.way == second.way == ""
