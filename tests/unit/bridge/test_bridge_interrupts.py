from __future__ import annotations

import signal
import threading

import pytest

from pytest_evosearch.bridge.interrupts import InterruptFlag
from pytest_evosearch.bridge.interrupts import interruptible


def test_first_interrupt_is_remembered_and_the_second_raised() -> None:
    previous = signal.getsignal(signal.SIGINT)
    with interruptible(InterruptFlag()) as flag:
        flag.armed = True
        signal.raise_signal(signal.SIGINT)
        assert flag.raised
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is previous


def test_interrupt_while_there_is_nothing_to_keep_is_raised_at_once() -> None:
    with interruptible(InterruptFlag()) as flag:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not flag.raised


def test_other_threads_leave_signals_alone() -> None:
    previous = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def enter() -> None:
        with interruptible(InterruptFlag()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [previous]
