"""Other circumstances under which a test is repeated, to find what depends on them.

Re-running alone finds one unstable field of six; a moved clock and another random seed
find the rest that can be found inside one process (another ``PYTHONHASHSEED``, time zone
and order need a fresh interpreter: `write.verify`).
"""

from __future__ import annotations

import datetime
import random as application_random
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager

import time_machine

CLOCK_SHIFT = datetime.timedelta(days=400, hours=13, minutes=7)
"""Another year, month, weekday and time of day."""

OTHER_SEED = 20_171_123
"""Any seed but the one that `restore` sets."""


@contextmanager
def unchanged() -> Iterator[None]:
    """Change nothing: the test is merely repeated."""
    yield


@contextmanager
def shifted_clock() -> Iterator[None]:
    """Move the clock forward; it keeps ticking."""
    with time_machine.travel(datetime.datetime.now().astimezone() + CLOCK_SHIFT, tick=True):
        yield


@contextmanager
def other_randomness() -> Iterator[None]:
    """Let the application draw other numbers from the global generator."""
    state = application_random.getstate()
    application_random.seed(OTHER_SEED)
    try:
        yield
    finally:
        application_random.setstate(state)


CONDITIONS: tuple[tuple[str, Callable[[], AbstractContextManager[None]]], ...] = (
    ("again", unchanged),
    ("clock", shifted_clock),
    ("random", other_randomness),
)
"""Label and context manager of every condition, cheapest first."""
