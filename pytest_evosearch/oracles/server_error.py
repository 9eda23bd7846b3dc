"""Unhandled exceptions, 5xx answers and calls that never end.

Two faults are the same when they share the endpoint, the exception type and the innermost
application line: two bugs behind one endpoint are two faults, one bug met with a thousand
inputs is one.  An answer of 5xx without an exception has no such line: all of an endpoint are one.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault

SERVER_ERRORS = range(500, 600)
"""The statuses by which a server blames itself (RFC 9110, section 15.6)."""


class ServerErrorOracle:
    """Reports crashes, answers of 500 and above, and freezes."""

    code = "server-error"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield at most one fault: the most specific of freeze, crash and 5xx."""
        if exchange.frozen:
            yield self._fault(exchange, call, "freeze", "Freeze", "the call did not end in time")
        elif exchange.crash is not None:
            crash = exchange.crash
            yield self._fault(exchange, call, "crash", crash.type_name, crash.message)
        elif exchange.status in SERVER_ERRORS:
            yield self._fault(exchange, call, "server-error", "5xx", f"answered {exchange.status}")

    def _fault(self, exchange: Exchange, call: int, code: str, kind: str, message: str) -> Fault:
        endpoint = exchange.request.endpoint
        position = exchange.crash.position if exchange.crash is not None else "unknown"
        target = fault_target(endpoint, kind, position)
        return Fault(code, endpoint, kind, position, message, call, target)
