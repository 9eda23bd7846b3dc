"""Responses that contradict HTTP itself, whatever the application does (RFC 9110)."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

KNOWN_STATUSES = frozenset(status.value for status in HTTPStatus)

BODILESS = (204, 304)
"""Statuses whose responses end with their headers (sections 15.3.5 and 15.4.5)."""


class BodyForbiddenOracle(WithoutKnowledge):
    """Reports bodies of responses that cannot have one; a client may read them as a response."""

    code = "body-forbidden"
    explanation = "a 204 or 304 response has a body, which HTTP forbids"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for a body behind 204 or 304."""
        response = exchange.response
        if response is None or response.status not in BODILESS or not response.body:
            return
        size = len(response.body)
        message = f"answered {response.status} with a body of {size} bytes"
        wanted = Expectation("empty", phrase="has_no_body")
        endpoint = exchange.request.endpoint
        yield finding(self.code, endpoint, call, f"{response.status} with body", message, wanted)


class AllowMissingOracle(WithoutKnowledge):
    """Reports 405 responses that do not say which methods are allowed (section 15.5.6)."""

    code = "allow-missing"
    explanation = "a 405 response has no Allow header, which HTTP requires"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for 405 without Allow."""
        response = exchange.response
        if response is None or response.status != 405 or response.header("Allow") is not None:
            return
        wanted = Expectation("header", "Allow", phrase="names_allowed_methods")
        message = "answered 405 without an Allow header"
        endpoint = exchange.request.endpoint
        yield finding(self.code, endpoint, call, "405 without Allow", message, wanted)


class ChallengeMissingOracle(WithoutKnowledge):
    """Reports 401 responses that do not say how to authenticate (section 15.5.2).

    The standard requires it, but half of all interfaces leave it out.  So the oracle is off by
    default.
    """

    code = "challenge-missing"
    explanation = "a 401 response has no WWW-Authenticate header, which HTTP requires"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for 401 without WWW-Authenticate."""
        response = exchange.response
        if response is None or response.status != 401:
            return
        if response.header("WWW-Authenticate") is None:
            wanted = Expectation("header", "WWW-Authenticate", phrase="says_how_to_authenticate")
            message = "answered 401 without a WWW-Authenticate header"
            endpoint = exchange.request.endpoint
            yield finding(self.code, endpoint, call, "401 without challenge", message, wanted)


class UndeclaredStatusOracle:
    """Reports statuses that the description of the operation does not contain.

    Many descriptions name only successes, so the oracle is off by default.
    """

    code = "status-undeclared"
    explanation = "the OpenAPI document does not declare the status of a response"

    def __init__(self, knowledge: Knowledge) -> None:
        self._responses = knowledge.responses

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for a status without a declaration: no number, range or default."""
        response, endpoint = exchange.response, exchange.request.endpoint
        declared = self._responses.get(endpoint)
        if response is None or not declared or not exchange.routed:
            return
        if response.status >= 500 or response.status not in KNOWN_STATUSES:
            return  # other oracles report these
        names = {name.upper() for name in declared}
        status = str(response.status)
        if names.isdisjoint({status, f"{status[0]}XX", "DEFAULT"}):
            wanted = Expectation("status-is-not", response.status, phrase="has_declared_status")
            message = f"answered {status}; declared are {', '.join(sorted(declared))}"
            yield finding(self.code, endpoint, call, f"status {status}", message, wanted)
