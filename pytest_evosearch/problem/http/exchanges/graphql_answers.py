"""The meaning of GraphQL responses: errors and nulls have the status of a success."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pytest_evosearch.core.vocabulary import ERROR
from pytest_evosearch.core.vocabulary import SUCCESS
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import Response

FAILED = 400
"""The status that errors mean."""

ERRORS = ERROR.words(Certainty.LIKELY)
"""Fields of a payload that report what is wrong."""

NOT_FOUND = 404
"""The status that null means."""


class Meaning(NamedTuple):
    """What a response means."""

    status: int
    """The meant status; 0 when the response's own status is right."""
    executed: bool
    """False when no resolver was called: the request did not fit the schema."""


AS_ANSWERED = Meaning(0, executed=True)


def meaning_of(response: Response | None, operation: str) -> Meaning:
    """Return the meaning of the response to an operation (``query.user``).

    An error of a resolver names its ``path`` in the response, or comes with the data of other
    resolvers. An error of the whole request does neither. A response without data and errors means
    that the server did not even read the operation.
    """
    answer = _answer(response)
    errors, data = answer.get("errors"), answer.get("data")
    if response is None or not isinstance(errors, list) or not errors:
        given = data if isinstance(data, dict) else {}
        return Meaning(_meaning_of_data(given, operation), executed=given is data)
    located = any(isinstance(one, dict) and one.get("path") for one in errors)
    executed = located or data is not None
    return Meaning(FAILED if response.status < FAILED else 0, executed)


def _meaning_of_data(data: Mapping[str, object], operation: str) -> int:
    """Return the status that data mean: a query's null is not found, a payload may hold errors."""
    kind, _, field = operation.partition(".")
    value = data.get(field, data)
    if value is None:
        return NOT_FOUND if kind == "query" else 0
    return FAILED if has_errors(value) else 0


def has_errors(payload: object) -> bool:
    """Say whether an object has errors among its fields, or says that it failed."""
    if not isinstance(payload, dict):
        return False
    failed = any(payload.get(name) is False for name in SUCCESS.words())
    return failed or any(payload.get(name) for name in ERRORS)


def _answer(response: Response | None) -> dict[str, object]:
    if response is None or not response.is_json:
        return {}
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
