"""Remembers how calls were answered, to notice tests that have several outcomes.

A search sends many requests more than once, always from the restored state.  Some statuses depend
on chance: a race, a rare byte, a slow moment.  They may agree in the few repetitions of a finished
test, and differ the next day.  This module notes calls whose status differed during the search.

A status that changes once and for good is no sign of chance: a token has expired, or the search has
learnt to log in. A status that returns to an earlier value is one.

Only statuses are remembered; repetitions and verification find other differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

MOST_REMEMBERED = 200_000
"""Most calls to remember, some 20 MB. Known calls are still compared after that."""


class Recollection:
    """The last status of each call, keyed by the call and all calls before it."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}
        self._former: dict[int, set[int]] = {}
        """Statuses of a call before its last one."""
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
        """Return the indexes of calls whose status has changed and then returned."""
        if not self._fickle:
            return []
        keys = enumerate(_keyed(exchanges))
        return [place for place, (key, _exchange) in keys if key in self._fickle]

    def doubts(self, exchanges: Sequence[Exchange]) -> bool:
        """Say whether a call of these endpoints had both the status seen here and another one.

        The cause of that change may affect these calls, too.
        """
        return any(one.status in self._statuses.get(one.request.endpoint, ()) for one in exchanges)


def _keyed(exchanges: Sequence[Exchange]) -> Iterator[tuple[int, Exchange]]:
    """Yield the calls with a meaningful status, each with a number for all that was sent so far.

    A call without end, or one that needs a missing service, depends on things outside the test.
    """
    key = 0
    for exchange in exchanges:
        if exchange.frozen or exchange.died or exchange.missing or exchange.excess:
            return
        key = hash((key, exchange.user, exchange.request.fingerprint()))
        yield key, exchange
