from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator

import pytest

from pytest_evosearch.execution import sleep
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.sleep import ShortenedSleep
from pytest_evosearch.execution.started_work import STARTED_BY


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


def test_a_call_that_has_asked_a_service_may_wait_before_it_tries_again(shortened, naps) -> None:
    shortened.asks_others = lambda: True
    time.sleep(sleep.LONGEST_BACK_OFF)
    with pytest.raises(TimeLimitExceeded):
        time.sleep(1)


def test_of_many_naps_few_take_place(shortened, naps) -> None:
    for _ in range(1_099):
        time.sleep(0.001)
    assert len(naps) == 199
    assert shortened.slept == pytest.approx(1.099)


def test_a_nap_lasts_until_the_threads_of_the_call_are_done(shortened) -> None:
    done: list[int] = []
    wanted = threading.Event()

    def work() -> None:
        wanted.wait(5)
        done.append(1)

    threading.Thread(target=work).start()
    threading.Timer(0.05, wanted.set).start()
    began = time.monotonic()
    time.sleep(4)
    assert done == [1]
    assert time.monotonic() - began < 2


def test_threads_that_are_not_done_are_waited_for_once(shortened, monkeypatch) -> None:
    monkeypatch.setattr(sleep, "LONGEST_WAIT", 0.1)
    wanted = threading.Event()
    thread = threading.Thread(target=wanted.wait, args=(5,))
    thread.start()
    began = time.monotonic()
    for _ in range(20):
        time.sleep(0.1)
    assert 0.1 <= time.monotonic() - began < 1.6  # two seconds were asked for
    later = threading.Thread(target=wanted.wait, args=(5,))
    monkeypatch.setattr(sleep, "LONGEST_WAIT", 2.0)
    with shortened.counted():
        later.start()
        began = time.monotonic()
        time.sleep(2)
    assert time.monotonic() - began < 1.5  # of the kind that was waited for
    wanted.set()
    thread.join()
    later.join()


def test_another_interpreter_gets_the_real_function() -> None:
    with ShortenedSleep(1.0).installed([]):
        pickled = pickle.dumps(time.sleep)
    assert pickle.loads(pickled) is time.sleep


def test_a_thread_of_a_call_naps_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    instead = ShortenedSleep(5.0)
    monkeypatch.setattr(instead, "_original", naps.append)
    thread = threading.Thread(target=instead, args=(0.05,))
    vars(thread)[STARTED_BY] = "POST /jobs"
    thread.start()
    thread.join(30)
    assert len(naps) > 1
    assert max(naps) <= sleep.SLICE_SECONDS
