"""What the two processes tell one another; files of `engine.beside.mailbox` carry it."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.exchanges.individual import Individual

HOME, FINISHER = 0, 1
"""Numbers of the two processes, as `engine.beside.mailbox` counts them."""

PROCESSES = 2


@dataclass(frozen=True)
class Order:
    """Tests of the archive that are to be finished, and whom the search has found to be let in."""

    tests: Sequence[bytes]
    """Individuals, each pickled by itself: one that cannot be read there costs no other."""
    callers: Mapping[str, Caller] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """What the finisher has done since it told something last."""

    finished: Sequence[bytes] = ()
    """As `harvest.finished_tests` packs it."""
    proven: frozenset[str] = frozenset()
    """Fingerprints of the tests that have held in all circumstances that the finisher tries."""
    is_done: bool = False
    """Whether it waits for another order."""


def packed(individuals: Iterable[Individual]) -> list[bytes]:
    """Return tests as they travel, without those that hold objects of the application."""
    found = []
    for individual in individuals:
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            found.append(pickle.dumps(individual))
    return found


def unpacked(tests: Iterable[bytes]) -> list[Individual]:
    """Return the tests that can be read here."""
    found = []
    for test in tests:
        # Whatever a class of the application raises that is not what it was over there.
        with suppress(Exception):
            found.append(pickle.loads(test))
    return found
