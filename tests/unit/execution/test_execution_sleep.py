from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pytest_evosearch.execution import sleep
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.sleep import ShortenedSleep


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The naps that really took place."""
    taken: list[float] = []

    class Clock:
        sleep = staticmethod(taken.append)

    monkeypatch.setattr(sleep, "time", Clock)
    return taken


@pytest.fixture
def shortened() -> Iterator[ShortenedSleep]:
    instead = ShortenedSleep(5.0)
    with instead.installed(()), instead.counted():
        yield instead


def test_naps_are_short_and_counted_up_to_the_limit(shortened, naps) -> None:
    time.sleep(3)
    shortened.note()
    time.sleep(0.0001)
    assert naps == [sleep.LONGEST_NAP, 0.0001]
    assert (shortened.noted, shortened.slept) == (3, 3.0001)
    with pytest.raises(TimeLimitExceeded):
        time.sleep(2)


def test_of_many_naps_few_take_place(shortened, naps) -> None:
    for _ in range(1_099):
        time.sleep(0.001)
    assert len(naps) == 199
    assert shortened.slept == pytest.approx(1.099)
