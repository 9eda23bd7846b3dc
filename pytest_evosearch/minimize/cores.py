"""Guesses the minimal form of a test, so that few attempts do most of the work.

A slow application leaves time for a few executions of each test. So parts that most tests do not
need are removed in one attempt each, which is made even without time: calls unrelated to the act,
and all inputs besides the bodies of requests.
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
"""Locations of inputs that are neither in the address nor in the body."""

UNSEEN = (ASIDE - {Location.QUERY}) | {Location.ROW}
"""Inputs that are not visible in the address, and rows that a test stores first."""

BESIDE = ASIDE | {Location.ROW}
"""All inputs besides the address and the body."""


def likely_cores(individual: Individual) -> Iterator[Individual]:
    """Yield likely minimal forms of a test, the shortest first.

    These are the last call alone, then with the calls whose responses it uses, then with all calls
    that change something: first those by the first user, then by any user. Calls whose responses
    are used are always included.
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
    """Yield the test without inputs besides the bodies, the barest variant first.

    Extensions read headers of each request (a token, the caller), so the search sends them
    everywhere. Hardly any test is about one. Rows in tables matter to few tests, too.
    """
    yield _stripped(individual, BESIDE, BESIDE)
    yield _stripped(individual, BESIDE, frozenset())
    yield _stripped(individual, UNSEEN, UNSEEN)


def with_body_alone(call: Call) -> Call:
    """Return a call without inputs besides its address and its body."""
    return _without(call, ASIDE)


def with_what_feeds(individual: Individual, calls: list[Call]) -> frozenset[int]:
    """Return the labels of calls, and of all calls whose responses they use."""
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
