"""States: what has been done to an application, as an abstraction of what it offers now.

A call that reads, or that fails, leaves the application as it was.  What any other one leads to
depends on which endpoints have succeeded before, far more than on what they were sent.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import MAILED_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import Outcomes


def states_of(exchanges: Iterable[Exchange], outcomes: Outcomes) -> list[str]:
    """Return after each call the endpoints, sorted, that have changed something until then."""
    states: list[str] = []
    changing: set[str] = set()
    state = ""
    for exchange in exchanges:
        key = exchange.request.endpoint
        quality = outcomes.quality(exchange)
        least = MAILED_SUCCESS if is_safe(key) else CLEAR_SUCCESS
        if quality >= least and key not in changing:
            changing.add(key)
            state = " ".join(sorted(changing))
        states.append(state)
    return states
