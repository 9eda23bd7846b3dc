"""Repeats a test under other circumstances, to find what depends on them.

Re-running alone finds one unstable field of six; a moved clock and another random seed
find the rest that can be found inside one process (another ``PYTHONHASHSEED``, time zone
and order need a fresh interpreter: `write.verification.verify`).

Effects of the system's random bytes (`os.urandom`, `secrets`, ``uuid4``) show only in some runs. So
this module chooses the bytes. Each run fixes one draw to a single repeated byte; all other draws
are arbitrary. For the first draw these bytes are spread evenly, so a choice with a chance of one
tenth shows. For later draws they are the lowest and the highest byte.
"""

from __future__ import annotations

import datetime
import os as application_os
import random as application_random
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from functools import partial
from typing import Any
from typing import TypeAlias

import time_machine

from pytest_evosearch.sut.patches import Patches

Condition: TypeAlias = "Callable[[], AbstractContextManager[None]]"
"""Returns the circumstances of one repetition; picklable where another process repeats the test."""

CLOCK_SHIFT = datetime.timedelta(days=400, hours=13, minutes=7)
"""Leads to another year, month, weekday and time of day."""

OTHER_SHIFTS = (
    -CLOCK_SHIFT,
    datetime.timedelta(days=43, hours=5),
    datetime.timedelta(hours=31, minutes=3),
    datetime.timedelta(minutes=67),
)
"""Smaller shifts, for dates with a last valid day that the large shift would pass."""

OTHER_SEEDS = (20_171_123, 7, 815, 4_711, 99_991, 31_337)
"""Seeds other than the one that `restore` sets.

There are several, because a choice among few values sometimes gives one result for two seeds.
"""

EXTREME_SEEDS = (1514, 2172, 521, 1167, 309, 1101, 475, 2935, 655, 345, 1110, 830)
"""Seeds of `random` after which one of the first six numbers is extreme.

It is among the lowest or the highest thousandth. Rare events happen after one of them.
"""

EVEN_SEEDS = (1514, 14, 1, 3, 13, 7, 25, 9, 17, 5, 19, 24, 6, 74, 20, 2172)
"""Seeds of `random` whose first numbers lie one in each sixteenth of the range."""

SMALL_STEP = datetime.timedelta(seconds=7, milliseconds=311, microseconds=137)
"""Moves seconds and fractions, and makes nothing expire."""

SEED_SIZE = 16
"""Number of system bytes that make a seed."""

_SEEDS = (*EXTREME_SEEDS, *OTHER_SEEDS)
"""Seeds for unseeded generators, one for each repetition."""

EXTREMES = (0, 255)
EVEN_BYTES = tuple(range(0, 256, 17))
"""Values of the fixed draw: `EXTREMES` for a later draw, `EVEN_BYTES` for the first one."""

MOST_CHOSEN_DRAWS = 3
"""How many first draws are fixed in turn; the first ones decide most."""

_SOURCES: tuple[tuple[Any, str], ...] = (
    (application_os, "urandom"),
    (application_random, "_urandom"),
)
"""Where the standard library reads the system's random bytes."""


@contextmanager
def unchanged() -> Iterator[None]:
    """Change nothing: only repeat the test."""
    yield


@contextmanager
def when_threads_are_done() -> Iterator[None]:
    """Before the next call, wait for threads of the last one that end soon."""
    yield


@contextmanager
def shifted_clock() -> Iterator[None]:
    """Move the clock forward; it keeps running."""
    with _moved_clock(CLOCK_SHIFT):
        yield


def clock_moved_by(shift: datetime.timedelta) -> Condition:
    """Return a condition that moves the clock by `shift`, forward or back."""
    return partial(_moved_clock, shift)


@contextmanager
def _moved_clock(shift: datetime.timedelta) -> Iterator[None]:
    with _travel(shift):
        yield


def _travel(shift: datetime.timedelta) -> time_machine.travel:
    # A number: a time with a zone would set TZ, which the application may then find and remove.
    moved = datetime.datetime.now().timestamp() + shift.total_seconds()
    return time_machine.travel(moved, tick=True)


def other_randomness(seed: int) -> Condition:
    """Return a condition in which the application draws other random numbers."""
    return partial(_reseeded, seed)


@contextmanager
def _reseeded(seed: int) -> Iterator[None]:
    state = application_random.getstate()
    application_random.seed(seed)
    try:
        yield
    finally:
        application_random.setstate(state)


def a_little_later(step: int, chosen: tuple[int, int] | None = None) -> Condition:
    """Return a condition with a clock some seconds ahead and new random numbers.

    `step` numbers the condition. `chosen` is a draw of the system's random bytes (0 is the first)
    with the byte that fills it.
    """
    return partial(_little_later, step, chosen)


@contextmanager
def _little_later(step: int, chosen: tuple[int, int] | None) -> Iterator[None]:
    # New objects get other addresses in memory: an ``id`` may decide something, too.
    held: list[object] = [(object(), [], {}) for _ in range(step * 41)]
    with _travel(step * SMALL_STEP), _reseeded(step), _replaced_sources(_Drawing(step, chosen)):
        yield
    del held


class _Drawing:
    """A replacement for `os.urandom` that returns arbitrary bytes, equal in equal runs."""

    def __init__(self, seed: int, chosen: tuple[int, int] | None) -> None:
        self._generator = application_random.Random(seed)
        self._place, self._byte = chosen or (-1, 0)
        self._draws = 0

    def __call__(self, size: int) -> bytes:
        """Return `size` bytes."""
        place, self._draws = self._draws, self._draws + 1
        drawn = self._generator.randbytes(size)
        return bytes([self._byte]) * size if place == self._place else drawn


@contextmanager
def _replaced_sources(source: Callable[[int], bytes]) -> Iterator[None]:
    """Let every module draw from `source`, except those that imported the function by name.

    A generator without a seed (``random.Random()``) draws one from `source`, too. By default it
    asks the system in C.
    """
    seed = application_random.Random.seed

    def drawn_seed(self: application_random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            a = _seed_of(source(SEED_SIZE))
        seed(self, a, version)

    with Patches() as patches:
        for module, name in _SOURCES:
            patches.setattr(module, name, source)
        patches.setattr(application_random.Random, "seed", drawn_seed)
        yield


def _seed_of(drawn: bytes) -> int:
    """Return the seed for a generator; fixed bytes fix the seed, too."""
    if len(set(drawn)) == 1:
        return EVEN_SEEDS[drawn[0] * len(EVEN_SEEDS) // 256]
    return _SEEDS[int.from_bytes(drawn, "big") % len(_SEEDS)]


class RandomnessWatch:
    """Notes draws since its creation, from the global generator and from the system."""

    def __init__(self) -> None:
        self._state = application_random.getstate()
        self.draws = 0
        """Draws of the system's random bytes inside `counting`."""

    @property
    def drew(self) -> bool:
        """Say whether the generator's state moved."""
        return application_random.getstate() != self._state

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count draws from the system inside the block."""
        source = application_random._urandom  # type: ignore[attr-defined]

        def draw(size: int) -> Any:
            self.draws += 1
            return source(size)

        with _replaced_sources(draw):
            yield
