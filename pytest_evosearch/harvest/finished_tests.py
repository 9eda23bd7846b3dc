"""Remembers what became of tests, so that none is minimised or repeated twice.

While a search goes on a process beside it minimises and repeats what was found (`engine.beside`).
What is remembered counts for nothing until it was executed here: a short form has to cover what the
test is kept for, and a test is repeated once more where it was repeated often there.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.minimize.shortening import sent
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.problem.http.exchanges.individual import Individual


@dataclass(frozen=True)
class Short:
    """The simplest form of a test, and what it was kept for."""

    individual: Individual
    duty: frozenset[TargetId]


@dataclass(frozen=True)
class Differences:
    """What differed when a test was repeated."""

    unstable: Mapping[tuple[int, FactPath], str]
    again: Mapping[int, tuple[str, ...]]
    """The other pages of calls whose text is unstable."""


@dataclass
class FinishedTests:
    """What became of the tests of one application."""

    _forms: dict[str, list[Short]] = field(default_factory=dict)
    """What a test sends -> its simplest forms, as far as they were taken in."""
    _known: dict[str, Individual] = field(default_factory=dict)
    """Those forms, by what they send."""
    _differences: dict[str, Differences] = field(default_factory=dict)
    """What a test sends -> what differed when it was repeated, as far as that was taken in."""
    _news: dict[tuple[str, type], tuple[str, Short | Differences]] = field(default_factory=dict)

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
        for key in (sent(before), sent(after)):
            self._news[key, Short] = (key, short)

    def note_differences(self, individual: Individual, found: Differences) -> None:
        """Note for the next harvest what differed when a test was repeated."""
        key = sent(individual)
        self._news[key, Differences] = (key, found)

    def forms(self, individual: Individual) -> tuple[Short, ...]:
        """Return the simplest forms of a test that are known, the latest first."""
        return tuple(reversed(self._forms.get(sent(individual), ()))) if self._forms else ()

    def differences(self, individual: Individual) -> Differences | None:
        """Return what differed when a test was repeated; None where it was not."""
        return self._differences.get(sent(individual)) if self._differences else None

    def news(self) -> list[bytes]:
        """Return what was noted since this was last asked, each by itself for another harvest."""
        news, self._news = self._news, {}
        return list(_packed(news.values()))

    def adopt(self, messages: Iterable[bytes]) -> None:
        """Take in what another harvest has noted."""
        for message in messages:
            # Whatever a class of the application raises that is not what it was over there.
            with suppress(Exception):
                key, found = pickle.loads(message)
                if isinstance(found, Short):
                    self._forms.setdefault(key, []).append(found)
                    self._known.setdefault(sent(found.individual), found.individual)
                else:
                    self._differences[key] = found


def _packed(news: Iterable[object]) -> Iterator[bytes]:
    for one in news:
        # A gene may hold an object of the application.
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            yield pickle.dumps(one)
