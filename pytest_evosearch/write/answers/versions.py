"""Responses that differ between versions of Flask or Werkzeug."""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Response

REFUSED_CONTENT_TYPE = (400, 415)
"""Statuses of ``request.json`` for a body that is not declared as JSON: 415 since Werkzeug 2.3."""

_NOT_DECLARED_AS_JSON = "Did not attempt to load JSON data because the request Content-Type"


def refuses_content_type(response: Response) -> bool:
    """Say whether the framework refused a body because it is not declared as JSON.

    All versions since Werkzeug 2.1 use one sentence, whatever page or JSON the application puts
    around it. The status differs between versions.
    """
    return response.status in REFUSED_CONTENT_TYPE and _NOT_DECLARED_AS_JSON in response.text
