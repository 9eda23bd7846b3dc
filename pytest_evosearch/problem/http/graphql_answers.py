"""What an answer of GraphQL means: errors come with the status of a success."""

from __future__ import annotations

from typing import NamedTuple

from pytest_evosearch.problem.http.exchange import Response

FAILED = 400
"""The status that errors amount to."""


class Meaning(NamedTuple):
    """What an answer amounts to."""

    status: int
    """0 for what its own status says."""
    executed: bool
    """False when no resolver was reached: the request did not fit the schema."""


AS_ANSWERED = Meaning(0, executed=True)


def meaning_of(response: Response | None) -> Meaning:
    """Return what the answer to an operation means.

    An error of a resolver says at which ``path`` of the answer it occurred, or stands beside what
    others gave; one of the request as a whole does not.  Who answers without data and errors
    has not even looked at the operation.
    """
    answer = _answer(response)
    errors = answer.get("errors")
    if response is None or not isinstance(errors, list) or not errors:
        return Meaning(0, executed=isinstance(answer.get("data"), dict))
    located = any(isinstance(one, dict) and one.get("path") for one in errors)
    executed = located or answer.get("data") is not None
    return Meaning(FAILED if response.status < FAILED else 0, executed)


def _answer(response: Response | None) -> dict[str, object]:
    if response is None or not response.is_json:
        return {}
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
