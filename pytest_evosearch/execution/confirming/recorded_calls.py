"""Chooses the calls in which handlers get recording objects, and completes what others show.

A recording object shows what a handler reads, but it is not what Flask gives. So it is for learning
only: an endpoint gets it until its calls show no new read, and seldom after that. What the archive
and the reports get was seen with plain objects (`execution.judging.HttpExecutor.confirmed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.filling.sent_values import READABLE
from pytest_evosearch.problem.http.filling.sent_values import place_of
from pytest_evosearch.problem.http.filling.sent_values import value_on_wire

CALLS_WITHOUT_NEWS = 12
"""Recorded calls of an endpoint without a new read, after which few of its calls are recorded."""

RECORDED_LATER = 16
"""One of so many later calls is recorded: code without probes may read something new."""

SHOWN = 3
"""Endpoints that a notice names, at most."""

Places: TypeAlias = "frozenset[int]"
"""Indexes of calls in a test."""

NOWHERE: Places = frozenset()


@dataclass
class _Endpoint:
    """What is known about the reads of an endpoint."""

    calls: int = 0
    without_news: int = 0
    seen: set[object] = field(default_factory=set)
    reads: dict[tuple[int, str], tuple[Read, ...]] = field(default_factory=dict)
    """Status and place of a crash -> what the handler read when a recorded call last ended so."""


class RecordedCalls:
    """Knows which endpoints still show new reads, and what their handlers read."""

    def __init__(self, records: bool = True) -> None:
        self.records = records
        """Whether reads can be recorded at all: not those of a running server."""
        self.layers = True
        """Whether layers in front of the application get a recording WSGI environment."""
        self.plain: set[str] = set()
        """Endpoints that answer otherwise with recording objects; they get plain ones."""
        self._endpoints: dict[str, _Endpoint] = {}

    def notices(self) -> list[str]:
        """Return a notice about endpoints that get plain objects only."""
        if not self.plain:
            return []
        named = ", ".join(sorted(self.plain)[:SHOWN])
        more = f" and {len(self.plain) - SHOWN} more" if len(self.plain) > SHOWN else ""
        why = "the answer is another one while reads are recorded, so they are not"
        return [f"{named}{more}: {why}, and the search learns less of what is taken there"]

    def chosen(self, individual: Individual) -> Places:
        """Return the calls of a test of the search whose reads are recorded."""
        found = []
        for place, call in enumerate(individual.calls):
            if self.records and call.endpoint not in self.plain:
                known = self._known(call.endpoint)
                known.calls += 1
                if known.without_news < CALLS_WITHOUT_NEWS or not known.calls % RECORDED_LATER:
                    found.append(place)
        return frozenset(found)

    def all(self, individual: Individual) -> Places:
        """Return all calls of a test whose reads can be recorded."""
        if not self.records:
            return NOWHERE
        calls = enumerate(individual.calls)
        return frozenset(place for place, call in calls if call.endpoint not in self.plain)

    def completed(self, exchanges: Sequence[Exchange], recorded: Places) -> list[Exchange]:
        """Return the exchanges of a test; those that were not recorded get the known reads."""
        return [
            self._learnt(exchange) if place in recorded else self.with_known_reads(exchange)
            for place, exchange in enumerate(exchanges)
        ]

    def with_known_reads(self, exchange: Exchange) -> Exchange:
        """Return an exchange with what its handler read when it last answered so."""
        known = self._endpoints.get(exchange.request.endpoint)
        reads = known.reads.get(_ending(exchange), ()) if known is not None else ()
        if not reads:
            return exchange
        return replace(exchange, reads=tuple([_of_request(read, exchange) for read in reads]))

    def _learnt(self, exchange: Exchange) -> Exchange:
        known = self._known(exchange.request.endpoint)
        news = {(read.location, read.path, read.type_name) for read in exchange.reads} - known.seen
        known.seen |= news
        known.without_news = 0 if news else known.without_news + 1
        known.reads[_ending(exchange)] = exchange.reads
        return exchange

    def _known(self, endpoint: str) -> _Endpoint:
        known = self._endpoints.get(endpoint)
        if known is None:
            known = self._endpoints[endpoint] = _Endpoint()
        return known


def _ending(exchange: Exchange) -> tuple[int, str]:
    """Return how a call ended: its status, and where it crashed."""
    return exchange.status, exchange.crash.position if exchange.crash is not None else ""


def _of_request(read: Read, exchange: Exchange) -> Read:
    """Return a read of an earlier call as it is in this one: present or not."""
    if not read.path or read.location not in READABLE:
        return read
    (location, name), path = place_of(read)
    if location is Location.FILE:
        return read
    if location is Location.JSON:
        is_present = inside(exchange.request.json, path) is not MISSING
    else:
        is_present = value_on_wire(exchange, location, name, path) is not None
    return read if is_present == read.present else replace(read, present=is_present)
