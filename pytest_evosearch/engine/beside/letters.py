"""What the two processes send to each other, in files of `engine.beside.mailbox`."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.exchanges.individual import Individual

HOME, FINISHER = 0, 1
"""Numbers of the two processes in `engine.beside.mailbox`."""

PROCESSES = 2


@dataclass(frozen=True)
class Order:
    """Tests of the archive to finish, and callers whom the application lets in."""

    tests: Sequence[bytes]
    """The tests, each pickled alone: one that cannot be read does not affect the other tests."""
    callers: Mapping[str, Caller] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """What the finisher has done since its last report."""

    finished: Sequence[bytes] = ()
    """Minimised tests, as `harvest.finished_tests` packs them."""
    proven: frozenset[str] = frozenset()
    """Fingerprints of tests that held in all circumstances that the finisher tries."""
    is_done: bool = False
    """Whether it waits for another order."""


def packed(individuals: Iterable[Individual]) -> list[bytes]:
    """Return tests as they are sent, without those that contain objects of the application."""
    found = []
    for individual in individuals:
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            found.append(pickle.dumps(individual))
    return found


def unpacked(tests: Iterable[bytes]) -> list[Individual]:
    """Return the tests that this process can read."""
    found = []
    for test in tests:
        # A class of the application may differ here, and may raise anything.
        with suppress(Exception):
            found.append(pickle.loads(test))
    return found
