from __future__ import annotations

import threading

from pytest_evosearch.core.own_time import OwnTime


class Hands:
    """A clock whose hands a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_only_what_runs_inside_a_block_is_counted_a_nested_block_once() -> None:
    clock, busy = Hands(), Hands()
    own = OwnTime(clock, busy)
    clock.now += 5
    with own.counted():
        clock.now += 1
        with own.counted():
            clock.now += 2
            busy.now += 0.5
        assert (own.is_running, own.seconds) == (True, 3.0)
    clock.now += 7
    assert (own.is_running, own.seconds, own.busy_seconds) == (False, 3.0, 0.5)


def test_a_block_that_raises_is_counted() -> None:
    clock = Hands()
    own = OwnTime(clock, Hands())
    try:
        with own.counted():
            clock.now += 4
            raise ValueError
    except ValueError:
        pass
    assert (own.is_running, own.seconds) == (False, 4.0)


def test_other_threads_do_not_count() -> None:
    clock = Hands()
    own = OwnTime(clock, Hands())

    def work() -> None:
        with own.counted():
            clock.now += 9

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert own.seconds == 0.0
