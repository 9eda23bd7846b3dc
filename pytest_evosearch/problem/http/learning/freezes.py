"""Knows which endpoints hang: one call up to the time limit costs as much as thousands of others.

An endpoint that froze, or whose response went on until the time limit, is drawn rarely. It may hang
for some values only, so every completed call restores some trust.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.exchange import Exchange

CALLS_PER_FREEZE = 20
"""Completed calls that make up for one frozen call."""


class FreezeStatistics:
    """Counts freezes and completed calls of each endpoint that ever froze."""

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
        """Return how many times an endpoint froze that never completed a call; 0 otherwise."""
        return 0 if key in self._answered else self._frozen.get(key, 0)

    def weight(self, key: str) -> float:
        """Return the weight for drawing the endpoint: 1 unless it froze, never 0."""
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
