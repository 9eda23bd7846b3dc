"""A response knows the document that it holds."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Response

JSON = (("Content-Type", "application/json"),)


@pytest.mark.parametrize(
    ("headers", "body", "document"),
    [
        (JSON, b'{"id": 1}', {"id": 1}),
        ((("Content-Type", "application/problem+json"),), b"[]", []),
        (JSON, b"", None),
        (JSON, b"[" * 100_000, None),
        ((("Content-Type", "text/html"),), b'{"id": 1}', None),
    ],
)
def test_document_of_a_response_is_what_its_json_holds(headers, body, document):
    assert Response(200, headers, body).document() == document
