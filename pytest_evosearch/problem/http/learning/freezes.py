"""Which endpoints hang: one call into the time limit costs as much as thousands of others.

An endpoint that froze, or answered until time was up, is drawn rarely, but not never: it may hang
for some values only, and every call that it does answer wins trust back.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.exchange import Exchange

CALLS_PER_FREEZE = 20
"""Answered calls that make up for one that froze."""


class FreezeStatistics:
    """Counts freezes and answers of each endpoint that ever froze."""

    def __init__(self) -> None:
        self._frozen: dict[str, int] = {}
        self._answered: dict[str, int] = {}

    def learn(self, exchange: Exchange) -> None:
        """Note how a call ended."""
        key = exchange.request.endpoint
        if exchange.frozen or exchange.late:
            self._frozen[key] = self._frozen.get(key, 0) + 1
        elif key in self._frozen:
            self._answered[key] = self._answered.get(key, 0) + 1

    def expect(self, key: str) -> None:
        """Note that an endpoint hung when another process called it."""
        self._frozen[key] = self._frozen.get(key, 0) + 1

    def count(self, key: str) -> int:
        """Return how often an endpoint froze that has never answered; 0 once it has."""
        return 0 if key in self._answered else self._frozen.get(key, 0)

    def weight(self, key: str) -> float:
        """Return how readily the endpoint should be drawn: 1 unless it froze, never 0."""
        frozen = self._frozen.get(key)
        if frozen is None:
            return 1.0
        answered = 1 + self._answered.get(key, 0)
        return answered / (answered + CALLS_PER_FREEZE * frozen)

    def choose(self, keys: Sequence[str], rng: Random) -> str:
        """Draw one of `keys` by weight."""
        if not self._frozen:
            return rng.choice(keys)
        return rng.choices(keys, [self.weight(key) for key in keys])[0]
