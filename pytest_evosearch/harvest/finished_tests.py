"""Remembers finished tests, so that none is minimised or repeated twice.

During a search, another process minimises and repeats found tests (`engine.beside`). Its results
only count after an execution here. A short form must cover the test's targets, and a test that was
repeated often there is repeated once here.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.minimize.reducing import sent
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.problem.http.exchanges.individual import Individual


@dataclass(frozen=True)
class Short:
    """The simplest form of a test, and the targets that it was kept for."""

    individual: Individual
    duty: frozenset[TargetId]


@dataclass(frozen=True)
class Differences:
    """The differences between repetitions of a test."""

    unstable: Mapping[tuple[int, FactPath], str]
    again: Mapping[int, tuple[str, ...]]
    """Index of a call with an unstable text -> its other pages."""
    said: tuple[str, ...] = ()
    """What the last call's crash said otherwise."""


@dataclass
class FinishedTests:
    """The results of tests of one application."""

    _forms: dict[str, list[Short]] = field(default_factory=dict)
    """Content of a test -> its simplest forms, as received from other processes."""
    _known: dict[str, Individual] = field(default_factory=dict)
    """Content of a form -> that form."""
    _differences: dict[str, Differences] = field(default_factory=dict)
    """Content of a test -> differences between its repetitions, as received."""
    _news: dict[tuple[str, type], tuple[str, Short | Differences]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many different tests are known to have no shorter form."""
        return len(self._known)

    @property
    def individuals(self) -> Sequence[Individual]:
        """Return the received forms, each once."""
        return tuple(self._known.values())

    def note(self, before: Individual, after: Individual, duty: frozenset[TargetId]) -> None:
        """Note the short form of a test for the next harvest; it is its own shortest form."""
        short = Short(after, duty)
        for key in (sent(before), sent(after)):
            self._news[key, Short] = (key, short)

    def note_differences(self, individual: Individual, found: Differences) -> None:
        """Note the differences between repetitions of a test for the next harvest."""
        key = sent(individual)
        self._news[key, Differences] = (key, found)

    def forms(self, individual: Individual) -> tuple[Short, ...]:
        """Return the known simplest forms of a test, the latest first."""
        return tuple(reversed(self._forms.get(sent(individual), ()))) if self._forms else ()

    def differences(self, individual: Individual) -> Differences | None:
        """Return the differences between repetitions of a test; None when it was not repeated."""
        return self._differences.get(sent(individual)) if self._differences else None

    def news(self) -> list[bytes]:
        """Return the notes since the last call, each pickled separately for another harvest."""
        news, self._news = self._news, {}
        return list(_packed(news.values()))

    def adopt(self, messages: Iterable[bytes]) -> None:
        """Add the notes of another harvest."""
        for message in messages:
            # A class of the application that differs from the other process's may raise anything.
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
