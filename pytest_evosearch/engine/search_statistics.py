"""Counts what a search has sent, seen and found, for the reports."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.server_error import FREEZE
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault


@dataclass
class Statistics:
    """Counts for the reports, filled during the search."""

    evaluations: int = 0
    calls: dict[str, int] = field(default_factory=dict)
    """Number of requests by endpoint."""
    statuses: dict[str, dict[int, int]] = field(default_factory=dict)
    """Number of responses by endpoint and status."""
    refusals: dict[str, set[int]] = field(default_factory=dict)
    """Statuses by which each endpoint refused callers."""
    timeline: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, evaluations and covered targets, at each improvement and at the end."""
    seconds: float = 0.0
    """Seconds of the search, without writing."""
    faults: dict[TargetId, Fault] = field(default_factory=dict)
    """Distinct faults in the order in which they were found."""
    fault_endpoints: dict[TargetId, set[str]] = field(default_factory=dict)
    """The endpoints that showed each fault."""
    fault_exchanges: dict[TargetId, tuple[Exchange, ...]] = field(default_factory=dict)
    """The exchanges of the test that first showed each fault."""
    elsewhere: int = 0
    """Number of evaluations on other islands."""

    def note(self, observation: Observation) -> None:
        """Count one executed individual and its calls."""
        self.evaluations += 1
        self.note_answers(observation)

    def note_answers(self, observation: Observation) -> None:
        """Count the calls of an individual that was executed for a question, outside the search."""
        for exchange in observation.exchanges:
            endpoint = exchange.request.endpoint
            self.calls[endpoint] = self.calls.get(endpoint, 0) + 1
            status = exchange.status
            if exchange.sent and status:
                seen = self.statuses.setdefault(endpoint, {})
                seen[status] = seen.get(status, 0) + 1
                if turns_away(exchange):
                    self.refusals.setdefault(endpoint, set()).add(status)

    def add(
        self,
        calls: Mapping[str, int],
        statuses: Mapping[str, Mapping[int, int]],
        refusals: Mapping[str, Collection[int]],
    ) -> None:
        """Add the counts of another island."""
        for endpoint, count in calls.items():
            self.calls[endpoint] = self.calls.get(endpoint, 0) + count
        for endpoint, counts in statuses.items():
            seen = self.statuses.setdefault(endpoint, {})
            for status, count in counts.items():
                seen[status] = seen.get(status, 0) + count
        for endpoint, found in refusals.items():
            self.refusals.setdefault(endpoint, set()).update(found)

    def forget_freezes(self, gone: Collection[TargetId]) -> None:
        """Forget freezes that did not happen again: the server was only busy."""
        for target in gone:
            if target in self.faults and self.faults[target].code == FREEZE:
                del self.faults[target]

    def withdraw(self, targets: Collection[TargetId]) -> int:
        """Forget faults that were seen in a changed state; return how many there were.

        A crash at a line of the application stays, because its traceback is evidence in any state.
        """
        found = [target for target in targets if target in self.faults]
        known = [one for one in found if self.faults[one].position == UNKNOWN_POSITION]
        for target in known:
            del self.faults[target]
            self.fault_endpoints.pop(target, None)
        return len(known)

    def knows(self, fault: Fault) -> bool:
        """Say whether a fault is known, and known at its endpoint."""
        return fault.endpoint in self.fault_endpoints.get(fault.target, ())

    def note_fault(self, fault: Fault, exchanges: Sequence[Exchange] = ()) -> bool:
        """Add `fault` and the `exchanges` of its test; say whether it is new."""
        self.fault_endpoints.setdefault(fault.target, set()).add(fault.endpoint)
        if fault.target in self.faults:
            return False
        self.faults[fault.target] = fault
        self.fault_exchanges[fault.target] = tuple(exchanges[: fault.call + 1])
        return True
