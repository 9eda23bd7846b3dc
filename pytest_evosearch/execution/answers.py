"""Which statuses are worth a target.

A status counts for an endpoint on three conditions. The request was dispatched to the endpoint: a
404 for an address without a rule says nothing about any handler. HTTP defines the status. It is one
of the endpoint's first few statuses. Without that limit, an endpoint that returns any status on
request would fill the suite. A crash is no status target: oracles report it once as a fault,
however many endpoints show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import status_target
from pytest_evosearch.problem.http.exchanges.exchange import Exchange

MOST_STATUSES = 8
"""Most statuses of one endpoint that become targets; real handlers rarely have more than five."""

STANDARD_STATUSES = frozenset(status.value for status in HTTPStatus)


class AnswerTargets:
    """Turns exchanges into status targets, at most `MOST_STATUSES` for each endpoint."""

    def __init__(self) -> None:
        self._statuses: dict[str, set[int]] = {}

    def of_test(self, exchanges: Sequence[Exchange]) -> list[list[TargetId]]:
        """Return the status targets of each call of one test."""
        return [self.of(exchange) for exchange in exchanges]

    def burden(self, exchanges: Sequence[Exchange]) -> int:
        """Return 0: these targets make no test count for more calls than it has."""
        return 0

    def of(self, exchange: Exchange) -> list[TargetId]:
        """Return the status target of `exchange`, or nothing."""
        status = exchange.status
        if status not in STANDARD_STATUSES or not (exchange.sent and exchange.routed):
            return []
        if exchange.crash is not None:
            return []
        endpoint = exchange.request.endpoint
        counted = self._statuses.setdefault(endpoint, set())
        if status not in counted:
            if len(counted) >= MOST_STATUSES:
                return []
            counted.add(status)
        return [status_target(endpoint, status)]
