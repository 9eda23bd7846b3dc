"""Remembers how calls were answered, to notice tests that have several outcomes.

A search sends many requests more than once, always from the restored state.  A status that one of
them decides by chance (a race, a rare byte, a slow moment) may agree in each of the few repetitions
of a finished test, and differ the next day.  What differed once in the search is known here.

A status that changes once and for good says nothing of chance: a token has expired by then, or the
search has learnt to log in.  One that comes back does.

Only statuses are remembered: what else differs is found by repeating, and by verification.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

MOST_REMEMBERED = 200_000
"""Calls; some 20 MB.  Those that are known by then are still compared."""


class Recollection:
    """The last status of each call, by what was sent before it and with it."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}
        self._former: dict[int, set[int]] = {}
        """What a call was answered with before its last status."""
        self._fickle: set[int] = set()
        self._statuses: dict[str, set[int]] = {}
        """The statuses of endpoints where one call had several."""

    def note(self, exchanges: Sequence[Exchange]) -> None:
        """Compare the statuses of one test with those of earlier ones, and remember them."""
        for key, exchange in _keyed(exchanges):
            last = self._last.get(key)
            if last is None and len(self._last) >= MOST_REMEMBERED:
                continue
            self._last[key] = exchange.status
            if last is not None and last != exchange.status:
                self._note_change(key, last, exchange)

    def _note_change(self, key: int, last: int, exchange: Exchange) -> None:
        former = self._former.setdefault(key, set())
        if exchange.status in former:
            self._fickle.add(key)
        former.add(last)
        self._statuses.setdefault(exchange.request.endpoint, set()).update((last, exchange.status))

    def contradicted(self, exchanges: Sequence[Exchange]) -> list[int]:
        """Return the places of the calls whose status has changed, and come back."""
        if not self._fickle:
            return []
        keys = enumerate(_keyed(exchanges))
        return [place for place, (key, _exchange) in keys if key in self._fickle]

    def doubts(self, exchanges: Sequence[Exchange]) -> bool:
        """Say whether another call of an endpoint had the status of one of these, and a second one.

        What decided there may decide here, too.
        """
        return any(one.status in self._statuses.get(one.request.endpoint, ()) for one in exchanges)


def _keyed(exchanges: Sequence[Exchange]) -> Iterator[tuple[int, Exchange]]:
    """Yield the calls whose answer says something, each with a number for all that was sent.

    A call that met no end, or a service that is down, depends on what is outside of the test.
    """
    key = 0
    for exchange in exchanges:
        if exchange.frozen or exchange.died or exchange.missing or exchange.excess:
            return
        key = hash((key, exchange.user, repr(exchange.request)))
        yield key, exchange
