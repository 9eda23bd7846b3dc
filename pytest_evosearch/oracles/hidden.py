"""Exceptions that no response shows: in threads and tasks, and exceptions that are only logged.

An exception in a thread is a crash for which no caller waits.  An exception that is logged and
caught is a fault of lower rank, because the application may do so on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure


class BackgroundErrorOracle(WithoutKnowledge):
    """Reports crashes in threads, timers, futures and tasks."""

    code = "background-error"
    explanation = "a thread, a timer, a future or a task crashes, and no response shows it"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place of a crash that is not logged."""
        for hidden in exchange.hidden:
            if not hidden.logger:
                origin = hidden.started_by or "the application itself"
                yield _fault(self.code, exchange, hidden, call, f"in {hidden.how}, by {origin}")


class SwallowedErrorOracle(WithoutKnowledge):
    """Reports exceptions that the application logs without a sign in the response."""

    code = "swallowed-error"
    explanation = "an exception is logged and caught: the response does not show it"
    is_minor = True

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place whose exception is logged."""
        for hidden in exchange.hidden:
            if hidden.logger:
                how = f"logged by {hidden.logger}, answered {exchange.status}"
                yield _fault(self.code, exchange, hidden, call, how)


def _fault(code: str, exchange: Exchange, hidden: HiddenFailure, call: int, how: str) -> Fault:
    crash = hidden.crash
    endpoint = hidden.started_by or exchange.request.endpoint
    message = f"{crash.message} ({how})" if crash.message else f"({how})"
    way = " > ".join(crash.way)
    target = fault_target(way or endpoint, f"{code} {crash.type_name}", crash.position)
    return Fault(
        code, endpoint, crash.type_name, crash.position, message, call, target, UNSEEN, way
    )
