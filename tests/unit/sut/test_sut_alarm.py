from __future__ import annotations

import os
import signal
import time

import pytest

from pytest_evosearch.sut.alarm import cut_off_after

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the alarm is that of POSIX")


class Late(BaseException):
    """Too late."""


def test_what_takes_too_long_is_cut_off_and_the_alarm_is_given_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Late), cut_off_after(0.05, Late):
        time.sleep(60)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_ends_in_time_hears_nothing() -> None:
    with cut_off_after(60, Late):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_block_inside_leaves_the_alarm_of_the_one_around_it() -> None:
    def block_inside() -> None:
        with cut_off_after(60, TimeoutError):
            pass
        time.sleep(5)

    with pytest.raises(Late), cut_off_after(0.2, Late):
        block_inside()
