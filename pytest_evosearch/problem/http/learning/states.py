"""States: the endpoints that have changed an application, an abstraction of its present behaviour.

A call that reads, or that fails, does not change the application. The effect of any other call
depends mostly on which endpoints have succeeded before, and less on their inputs.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import MAILED_SUCCESS
from pytest_evosearch.problem.http.learning.outcomes import Outcomes


def states_of(exchanges: Iterable[Exchange], outcomes: Outcomes) -> list[str]:
    """Return, after each call, the sorted endpoints that have changed something so far."""
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
