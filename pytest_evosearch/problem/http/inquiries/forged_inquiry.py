"""Makes tests that send forgeries of an accepted signed token.

The first test sends a text that is no token, to see whether the endpoint checks the token. The next
tests send forgeries, which must not be accepted. No user is logged in.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence

NO_TOKEN = "no-token-at-all"
"""Sent instead of a token, to see whether the application checks it."""

MOST_ENDPOINTS = 6
"""Most endpoints at which tokens of one place are forged: mostly one function checks them all."""

Place: TypeAlias = "tuple[Location, str]"

Forge: TypeAlias = "Callable[[str], Sequence[str]]"
"""Makes forgeries of a token; none of any other text."""

Senders: TypeAlias = "Callable[[str | None], Mapping[Place, str]]"
"""Returns the inputs that a user sends with each request."""


def nothing_sent(_user: str | None) -> Mapping[Place, str]:
    """Return no inputs for any user."""
    return {}


@dataclass
class ForgedInquirer:
    """Makes tests with forged tokens from a working one."""

    forge: Forge
    senders: Senders = nothing_sent
    _asked: dict[tuple[Place, str | None], int] = field(default_factory=dict)

    def tests(self, base: Individual, act: Exchange) -> Iterator[Individual]:
        """Yield tests in which the last call of `base`, with the exchange `act`, is forged."""
        for place, text in self._sent(act).items():
            scheme, _, token = text.rpartition(" ")
            forged = self.forge(token)
            number = self._asked.get((place, act.user), 0)
            if not forged or number >= MOST_ENDPOINTS:
                continue
            self._asked[place, act.user] = number + 1
            scheme = f"{scheme} " if scheme else ""
            for one in forged:
                steps = (self._with(base, act, place, f"{scheme}{say}") for say in (NO_TOKEN, one))
                yield sequence(base.calls[:-1], *steps)

    def _sent(self, act: Exchange) -> Mapping[Place, str]:
        """Return the texts that may be tokens: of the request, and of its user."""
        own = {
            (location, name): str(value)
            for location in (Location.HEADER, Location.COOKIE, Location.QUERY)
            for name, value in act.request.pairs[location.value]
        }
        return {**self.senders(act.user), **own}

    def _with(self, base: Individual, act: Exchange, place: Place, text: str) -> Call:
        """Return the last call from an anonymous caller, with `text` at `place`."""
        call = base.calls[-1]
        for key, value in {**self.senders(act.user), place: text}.items():
            call = call.with_input(Input(*key, ConstantGene(current=value)))
        return replace(call, user=NOBODY)
