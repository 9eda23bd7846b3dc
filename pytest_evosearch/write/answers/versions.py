"""What another version of Flask or Werkzeug answers otherwise to the same request."""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Response

REFUSED_CONTENT_TYPE = (400, 415)
"""Answers of ``request.json`` to a body that is not declared as JSON: 415 since Werkzeug 2.3."""

_NOT_DECLARED_AS_JSON = "Did not attempt to load JSON data because the request Content-Type"


def refuses_content_type(response: Response) -> bool:
    """Say whether the framework refused a body because it is not declared as JSON.

    The sentence is the framework's own and the same in all versions from Werkzeug 2.1 on,
    whatever page or JSON the application puts around it.  The status is not.
    """
    return response.status in REFUSED_CONTENT_TYPE and _NOT_DECLARED_AS_JSON in response.text
