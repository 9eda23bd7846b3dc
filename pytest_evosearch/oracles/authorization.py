"""What users may do with resources of other users or of administrators, and anonymous callers.

Each application has its own rules of access.  So each oracle compares two responses of the
application:

    object     the collection lists something for its owner and not for the other user (or the
               other user may not read it), anonymous callers are refused, and yet the other
               user reads, changes or deletes it
    function   below one administrative path an ordinary user is refused here and served there
    anonymous  the description asks for a log-in, or another method of the same address does,
               and yet a write without one succeeds
    existence  what belongs to another user answers 403, and what does not exist 404
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.http_words import FORBIDDEN
from pytest_evosearch.oracles.findings import DONE
from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.object_authorization import Address
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.senders import callers_of
from pytest_evosearch.oracles.senders import credential_of
from pytest_evosearch.problem.http.descriptions.endpoint_relations import administrative_prefix
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

_DOOR = re.compile(
    r"log[-_]?(?:in|out)|sign[-_]?(?:in|up|out)|regist|auth|token|session|password|recover|verify",
    re.IGNORECASE,
)
"""Paths for logging in and out and for new accounts, which must be open to all."""


class FunctionAuthorizationOracle(WithoutKnowledge):
    """Reports administrative operations that ordinary users may call (OWASP API5:2023)."""

    code = "function-authorization"
    fewest_calls = 4
    explanation = "an ordinary user may call an operation that is for administrators"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for an administrative call by a user who is not an administrator."""
        admitted: dict[str, dict[str, set[str]]] = {}
        forbidden: dict[str, dict[str, set[str]]] = {}
        guarded: set[str] = set()
        callers = callers_of(exchanges)
        for call, (exchange, caller) in enumerate(zip(exchanges, callers, strict=True)):
            endpoint = exchange.request.endpoint
            prefix = administrative_prefix(exchange.request.template)
            if prefix is None or not exchange.routed:
                continue
            if caller is None:
                if turns_away(exchange):
                    guarded.add(endpoint)
            elif turns_away(exchange):
                forbidden.setdefault(prefix, {}).setdefault(endpoint, set()).add(caller)
            elif exchange.status in DONE:
                others = forbidden.get(prefix, {})
                for_administrators = [
                    other
                    for other, refused in others.items()
                    if other != endpoint
                    and caller in refused
                    and admitted.get(prefix, {}).get(other, set()) - refused
                ]
                if for_administrators and endpoint in guarded:
                    wanted = Expectation("status-in", (403, 404), phrase="is_for_administrators")
                    message = f"serves a user whom {for_administrators[0]} refuses"
                    kind = "called by an ordinary user"
                    yield finding(self.code, endpoint, call, kind, message, wanted)
                admitted.setdefault(prefix, {}).setdefault(endpoint, set()).add(caller)


class AnonymousWriteOracle:
    """Reports writes without a log-in where the application itself requires one.

    A declaration in a description counts only after the application has refused a caller there:
    many test configurations switch authentication off.
    """

    code = "anonymous-write"
    fewest_calls = 1
    explanation = "a write succeeds without the log-in that the same address otherwise asks for"

    def __init__(self, knowledge: Knowledge) -> None:
        self._operations = knowledge.operations
        self._is_enforced = False

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for an anonymous write that the description or its neighbours guard."""
        guarded: dict[Address, Request] = {}
        callers = callers_of(exchanges)
        self._is_enforced = self._is_enforced or any(map(self._is_refusal, exchanges))
        for call, (exchange, caller) in enumerate(zip(exchanges, callers, strict=True)):
            request = exchange.request
            if caller is not None or not exchange.routed:
                continue
            address = address_of(request)
            # A 403 response may refuse a write because a token against forgery is missing.
            is_read = request.method in SAFE_METHODS
            if turns_away(exchange) and (is_read or exchange.status != FORBIDDEN):
                guarded[address] = request
            if request.method in SAFE_METHODS or exchange.status not in DONE:
                continue
            reason = self._declared(request) or self._by_neighbour(request, guarded.get(address))
            if reason is not None:
                wanted = Expectation("status-in", (401, 403), phrase="asks_for_a_log_in")
                message = f"succeeds for anonymous callers although {reason}"
                endpoint = request.endpoint
                yield finding(self.code, endpoint, call, "without a log-in", message, wanted)

    def _is_refusal(self, exchange: Exchange) -> bool:
        """Say whether the application enforces what it declares for this endpoint."""
        return turns_away(exchange) and self._is_secured(exchange.request)

    def _is_secured(self, request: Request) -> bool:
        security = self._operations.get(request.endpoint, {}).get("security")
        # An empty requirement means that no log-in is needed.
        return isinstance(security, list) and bool(security) and all(security)

    def _declared(self, request: Request) -> str | None:
        operation = self._operations.get(request.endpoint, {})
        if not self._is_enforced or not self._is_secured(request):
            return None
        if _DOOR.search(request.template) or credential_of(request) is not None:
            return None
        responses = operation.get("responses")
        declares = isinstance(responses, Mapping) and "401" in map(str, responses)
        own = "the OpenAPI document declares security for it"
        return f"{own} and the answer 401" if declares else own

    @staticmethod
    def _by_neighbour(request: Request, refused: Request | None) -> str | None:
        if refused is None or refused.method == request.method or request.method == "POST":
            return None
        if {name for name, _ in request.query} - {name for name, _ in refused.query}:
            return None  # a further parameter of the query may be a key with any name
        return f"{refused.method} of the same address refuses them"
