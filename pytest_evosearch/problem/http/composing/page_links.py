"""Follows the links of pages: requests that the application itself offers.

A link holds values that belong together (a repository, one of its revisions, a file of that
revision). Independent draws hardly ever combine them. Where no call changed state before the page
was requested, its links also work in a test of their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from collections.abc import Iterable

from pytest_evosearch.problem.http.composing.examples import ExampleCall
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.seeding import individuals_from
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

LEADS_PER_ENDPOINT = 3
"""Most links followed to one endpoint: a list has many that differ only by a number."""


class Leads:
    """Makes a test of one call from each address on pages, each address once."""

    def __init__(self, model: EndpointModel, is_solved: Callable[[str], bool]) -> None:
        self._model = model
        self._is_solved = is_solved
        self._known: set[str] = set()
        self._waiting: deque[Individual] = deque()
        self._followed: dict[str, int] = {}

    def next(self) -> Individual | None:
        """Return the next test, None while there is none."""
        return self._waiting.popleft() if self._waiting else None

    def follow(self, addresses: Iterable[str], user: str | None) -> None:
        """Make a test from each new address with values; `user` is who saw the page."""
        for address in addresses:
            if address in self._known:
                continue
            self._known.add(address)
            example = ExampleTest("", (ExampleCall("GET", address),))
            for individual in individuals_from([example], self._model, 1):
                (call,) = individual.calls
                followed = self._followed.get(call.endpoint, 0)
                if followed < LEADS_PER_ENDPOINT and self._promises(call):
                    self._followed[call.endpoint] = followed + 1
                    self._waiting.append(individual.sent_by(user))

    def _promises(self, call: Call) -> bool:
        """Say whether a call tries more than drawn values did: several values, or a new success."""
        in_path = sum(given.location is Location.PATH for given in call.inputs)
        return in_path > 1 or (bool(call.inputs) and not self._is_solved(call.endpoint))
