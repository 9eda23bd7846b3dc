"""Remembers what tests came down to, so that no test is minimised twice.

While a search goes on a process beside it minimises what was found (`engine.beside`).  What is
remembered counts for nothing until it was executed here, and covers what the test is kept for.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.minimize.shortening import sent
from pytest_evosearch.problem.http.exchanges.individual import Individual


@dataclass(frozen=True)
class Short:
    """The simplest form of a test, and what it was kept for."""

    individual: Individual
    duty: frozenset[TargetId]


@dataclass
class Shortened:
    """What the tests of one application came down to."""

    _forms: dict[str, list[Short]] = field(default_factory=dict)
    """What a test sends -> its simplest forms, as far as they were taken in."""
    _known: dict[str, Individual] = field(default_factory=dict)
    """Those forms, by what they send."""
    _news: dict[str, tuple[str, Short]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many different tests are known to be as short as they get."""
        return len(self._known)

    @property
    def individuals(self) -> Sequence[Individual]:
        """Return the forms that were taken in, each once."""
        return tuple(self._known.values())

    def note(self, before: Individual, after: Individual, duty: frozenset[TargetId]) -> None:
        """Note for the next harvest what a test came down to; that gets no shorter itself."""
        short = Short(after, duty)
        self._news.update((key, (key, short)) for key in (sent(before), sent(after)))

    def forms(self, individual: Individual) -> tuple[Short, ...]:
        """Return the simplest forms of a test that are known, the latest first."""
        return tuple(reversed(self._forms.get(sent(individual), ())))

    def news(self) -> list[bytes]:
        """Return what was noted since this was last asked, each by itself for another harvest."""
        news, self._news = self._news, {}
        return list(_packed(news.values()))

    def adopt(self, messages: Iterable[bytes]) -> None:
        """Take in what another harvest has noted."""
        for message in messages:
            # Whatever a class of the application raises that is not what it was over there.
            with suppress(Exception):
                key, short = pickle.loads(message)
                self._forms.setdefault(key, []).append(short)
                self._known.setdefault(sent(short.individual), short.individual)


def _packed(news: Iterable[tuple[str, Short]]) -> Iterator[bytes]:
    for one in news:
        # A gene may hold an object of the application.
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            yield pickle.dumps(one)
