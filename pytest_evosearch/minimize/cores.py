"""Guesses what a test comes down to, so that few attempts do most of the work.

A slow application leaves time for a handful of executions for each test.  So what most tests can
do without goes in one attempt each, and is tried even when no time is left: calls that have nothing
to do with the act, and what stands beside the bodies of requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import linked_labels

ASIDE = frozenset((Location.QUERY, Location.HEADER, Location.COOKIE, Location.ENVIRON))
"""Where a request carries what is neither its address nor its body."""

UNSEEN = (ASIDE - {Location.QUERY}) | {Location.ROW}
"""What is not even seen in the address of a request, and rows that a test adds before it."""

BESIDE = ASIDE | {Location.ROW}
"""Everything beside the address and the body."""


def likely_cores(individual: Individual) -> Iterator[Individual]:
    """Yield what most tests come down to, the shortest first.

    That is the last call alone; with the calls that it feeds on; with all that changes
    something, sent by the first user, then by anyone.  What those feed on comes along.
    """
    last = individual.calls[-1]
    changing = [call for call in individual.calls if not is_safe(call.endpoint)]
    of_first_user = [call for call in changing if call.user == individual.calls[0].user]
    cores = (
        frozenset((last.label,)),
        with_what_feeds(individual, [last]),
        with_what_feeds(individual, [*of_first_user, last]),
        with_what_feeds(individual, [*changing, last]),
    )
    for labels in dict.fromkeys(cores):
        calls = tuple(call for call in individual.calls if call.label in labels)
        if len(calls) < len(individual.calls):
            yield Individual(calls)


def barer(individual: Individual) -> Iterator[Individual]:
    """Yield the test without what stands beside the bodies, the barest variant first.

    Extensions look for headers in each request (a token, who is asking), so that the search sends
    them everywhere; hardly any test is about one.  Rows in tables matter to few tests, too.
    """
    yield _stripped(individual, BESIDE, BESIDE)
    yield _stripped(individual, BESIDE, frozenset())
    yield _stripped(individual, UNSEEN, UNSEEN)


def with_body_alone(call: Call) -> Call:
    """Return a call without what stands beside its address and its body."""
    return _without(call, ASIDE)


def with_what_feeds(individual: Individual, calls: list[Call]) -> frozenset[int]:
    """Return the labels of calls, and of all calls whose answers they use."""
    needed = {call.label for call in calls}
    for call in reversed(individual.calls):
        if call.label in needed:
            needed.update(linked_labels(call.inputs))
    return frozenset(needed)


def _stripped(
    individual: Individual, before: AbstractSet[Location], act: AbstractSet[Location]
) -> Individual:
    *preparing, last = individual.calls
    return Individual((*(_without(call, before) for call in preparing), _without(last, act)))


def _without(call: Call, locations: AbstractSet[Location]) -> Call:
    kept = tuple(given for given in call.inputs if given.location not in locations)
    return call if kept == call.inputs else replace(call, inputs=kept)
