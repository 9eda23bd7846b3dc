"""Feedback-directed sampling: which open target the search aims at next.

    every open target has a counter: +1 when it is picked, 0 when its best value improves
    pick the lowest, on a tie the one that has waited longest

So the search spends its time where values still improve.  A target that does not improve moves to
the end of the queue.  Source: A. Arcuri, "Test suite generation with the Many Independent Objective
(MIO) algorithm", IST 2018, section 4.2.

A pick is always an open target and costs O(log targets).  Nothing is random.
"""

from __future__ import annotations

from heapq import heapify
from heapq import heappop
from heapq import heappush

from pytest_evosearch.core.targets import TargetId

STALE_ENTRIES = 64
"""Number of outdated queue entries, beyond one for each target, that start a clean-up."""


class TargetQueue:
    """Targets by priority (lowest first), then by waiting time; a change costs O(log targets)."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, TargetId]] = []
        self._tickets: dict[TargetId, int] = {}
        self._next_ticket = 0

    def put(self, target: TargetId, priority: int) -> None:
        """Add `target`, or move it behind the targets of equal `priority`."""
        self._next_ticket += 1
        self._tickets[target] = self._next_ticket
        heappush(self._entries, (priority, self._next_ticket, target))
        if len(self._entries) > 2 * len(self._tickets) + STALE_ENTRIES:
            self._drop_stale_entries()

    def remove(self, target: TargetId) -> None:
        """Remove `target`; its entry becomes outdated."""
        del self._tickets[target]

    def first(self) -> tuple[int, TargetId]:
        """Return the lowest priority and its target, which stays in the queue."""
        entries, tickets = self._entries, self._tickets
        while tickets.get(entries[0][2]) != entries[0][1]:
            heappop(entries)
        priority, _, target = entries[0]
        return priority, target

    def _drop_stale_entries(self) -> None:
        self._entries = [
            entry for entry in self._entries if self._tickets.get(entry[2]) == entry[1]
        ]
        heapify(self._entries)


class LowestCounter:
    """Picks the open target with the fewest picks since it last improved."""

    def __init__(self) -> None:
        self._queue = TargetQueue()
        self._counters: dict[TargetId, int] = {}

    def __len__(self) -> int:
        return len(self._counters)

    def open(self, target: TargetId) -> None:
        """Add a target that was reached for the first time."""
        self._counters[target] = 0
        self._queue.put(target, 0)

    def close(self, target: TargetId) -> None:
        """Remove a target for good."""
        del self._counters[target]
        self._queue.remove(target)

    def note_improvement(self, target: TargetId) -> None:
        """Set the counter back to 0."""
        if self._counters[target]:
            self._counters[target] = 0
            self._queue.put(target, 0)

    def pick(self) -> TargetId:
        """Return the target with the lowest counter and raise it by one."""
        counter, target = self._queue.first()
        self._counters[target] = counter + 1
        self._queue.put(target, counter + 1)
        return target

    @property
    def lowest_counter(self) -> int:
        """Return the failed tries of the target that has fewest; 0 when none is open."""
        return self._queue.first()[0] if self._counters else 0
