"""Other circumstances under which a test is repeated, to find what depends on them.

Re-running alone finds one unstable field of six; a moved clock and another random seed
find the rest that can be found inside one process (another ``PYTHONHASHSEED``, time zone
and order need a fresh interpreter: `write.verification.verify`).
"""

from __future__ import annotations

import datetime
import random as application_random
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

import time_machine

Condition: TypeAlias = "Callable[[], AbstractContextManager[None]]"
"""What holds while a test is repeated; one can be pickled, as another process may repeat it."""

CLOCK_SHIFT = datetime.timedelta(days=400, hours=13, minutes=7)
"""Another year, month, weekday and time of day."""

OTHER_SEEDS = (20_171_123, 7, 815, 4_711, 99_991, 31_337)
"""Any seeds but the one that `restore` sets; several, because a choice among few values comes
out alike now and then."""


@contextmanager
def unchanged() -> Iterator[None]:
    """Change nothing: the test is merely repeated."""
    yield


@contextmanager
def shifted_clock() -> Iterator[None]:
    """Move the clock forward; it keeps ticking."""
    with time_machine.travel(datetime.datetime.now().astimezone() + CLOCK_SHIFT, tick=True):
        yield


def other_randomness(seed: int) -> Condition:
    """Return a condition under which the application draws other numbers."""
    return partial(_reseeded, seed)


@contextmanager
def _reseeded(seed: int) -> Iterator[None]:
    state = application_random.getstate()
    application_random.seed(seed)
    try:
        yield
    finally:
        application_random.setstate(state)


class RandomnessWatch:
    """Tells whether the application drew from the global generator since it was made."""

    def __init__(self) -> None:
        self._state = application_random.getstate()

    @property
    def drew(self) -> bool:
        """Say whether the generator's state moved."""
        return application_random.getstate() != self._state
