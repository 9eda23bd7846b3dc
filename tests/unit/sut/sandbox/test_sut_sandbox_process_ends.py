from __future__ import annotations

import faulthandler
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnds
from pytest_evosearch.sut.sandbox.process_ends import installed_ends

PLACE = "replaces the process by another program"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and processes")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def ends(told: list[str]) -> Iterator[ProcessEnds]:
    ours = [(signal.SIGTERM, signal.getsignal(signal.SIGTERM))]
    with installed_ends() as ends, ends.refused(told.append, ours):
        yield ends


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("end", "code", "phrase"),
    [
        (lambda: os._exit(3), 3, "ends the process"),
        (lambda: os.abort(), 134, "ends the process"),
        (lambda: os.execv("/bin/true", ["true"]), 0, PLACE),
        (lambda: os.execlp("true", "true"), 0, PLACE),
        (
            lambda: os.kill(os.getpid(), signal.SIGKILL),
            137,
            "sends SIGKILL to the process that runs it",
        ),
    ],
    ids=["exit", "abort", "execv", "execlp", "sigkill"],
)
@pytest.mark.usefixtures("ends")
def test_what_would_end_the_process_raises(end, code: int, phrase: str, told: list[str]) -> None:
    with pytest.raises(ProcessEnd) as caught:
        end()

    assert caught.value.code == code
    assert told == [phrase]


@pytest.mark.parametrize(
    "send",
    [
        lambda: os.kill(os.getpid(), signal.SIGINT),
        lambda: os.kill(0, signal.SIGINT),
        lambda: os.kill(-1, signal.SIGINT),
        lambda: os.kill(-os.getpgrp(), signal.SIGINT),
        lambda: os.killpg(os.getpgrp(), signal.SIGINT),
        lambda: signal.raise_signal(signal.SIGINT),
    ],
    ids=["self", "group-0", "everybody", "own-group", "killpg", "raise"],
)
@pytest.mark.usefixtures("ends")
def test_a_signal_to_the_process_itself_is_only_told(send, told: list[str]) -> None:
    send()

    assert told == ["sends SIGINT to the process that runs it"]


@pytest.mark.usefixtures("ends")
def test_a_signal_that_the_application_handles_reaches_it(told: list[str]) -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: received.append(number))
    try:
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)

    assert received == [signal.SIGUSR1, signal.SIGUSR1]
    assert not told


@pytest.mark.usefixtures("ends")
def test_a_handler_of_ours_is_not_the_applications(told: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGTERM)

    assert told == ["sends SIGTERM to the process that runs it"]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="the system does not tell of parents")
def test_a_process_that_was_started_gets_its_signal(
    ends: ProcessEnds, sleeper: subprocess.Popen[bytes]
) -> None:
    os.kill(sleeper.pid, signal.SIGTERM)

    assert sleeper.wait(timeout=100) == -signal.SIGTERM
    assert not ends.refusals


def test_its_own_handle_of_a_process_always_works(
    ends: ProcessEnds, sleeper: subprocess.Popen[bytes]
) -> None:
    sleeper.terminate()

    assert sleeper.wait(timeout=100) == -signal.SIGTERM
    assert not ends.refusals


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["kill", "killpg"])
def test_any_other_process_seems_not_to_be_there(send, ends: ProcessEnds, told: list[str]) -> None:
    stand_in = getattr(os, send.__name__)
    with pytest.raises(ProcessLookupError):
        stand_in(1, signal.SIGWINCH)

    assert ends.refusals == {"send SIGWINCH to a process that it did not start": 1}
    assert not told


@pytest.mark.usefixtures("ends")
def test_asking_whether_a_process_is_there_is_answered() -> None:
    os.kill(os.getppid(), 0)


@pytest.mark.usefixtures("ends")
def test_what_is_no_signal_is_complained_of_as_ever() -> None:
    with pytest.raises(TypeError):
        os.kill("1", signal.SIGTERM)  # type: ignore[arg-type]
    with pytest.raises((OSError, ValueError)):
        os.kill(os.getpid(), 4000)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked_ends_as_it_wants_to(ends: ProcessEnds, told: list[str]) -> None:
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

    child = os.fork()
    if child == 0:
        ends.follow()
        try:
            os._exit(7)
        except ProcessEnd:
            os.kill(os.getpid(), signal.SIGTERM)
        ends._process = 0
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not told


def test_nothing_is_refused_before_and_after(told: list[str]) -> None:
    real = (os._exit, os.kill, os.execv, signal.raise_signal)
    with installed_ends() as ends:
        with installed_ends() as same:
            assert same is ends
        assert os._exit != real[0]
        os.kill(os.getpid(), 0)
        with pytest.raises(FileNotFoundError):
            os.execv("/no/such/program", ["program"])

    assert (os._exit, os.kill, os.execv, signal.raise_signal) == real
    assert not told


@pytest.mark.usefixtures("ends")
def test_no_timer_of_the_fault_handler_ends_the_process(told: list[str]) -> None:
    with pytest.raises(ValueError, match="timeout"):
        faulthandler.dump_traceback_later(0, exit=True)
    faulthandler.dump_traceback_later(0.05, file=sys.__stderr__)
    assert not told

    faulthandler.dump_traceback_later(0.05, exit=True, file=sys.__stderr__)
    time.sleep(0.2)

    assert told == ["sets a timer that ends the process"]


def test_a_timer_that_was_set_while_the_application_was_loaded_is_cancelled(
    told: list[str],
) -> None:
    with installed_ends() as ends:
        faulthandler.dump_traceback_later(0.05, exit=True, file=sys.__stderr__)
        with ends.refused(told.append):
            time.sleep(0.2)


@pytest.mark.usefixtures("ends")
def test_the_fault_handler_stays_as_it_is() -> None:
    was_enabled = faulthandler.is_enabled()
    assert faulthandler.disable() is was_enabled
    faulthandler.enable(sys.__stderr__)
    assert faulthandler.is_enabled() is was_enabled
    with pytest.raises(io.UnsupportedOperation):
        faulthandler.enable(io.StringIO())
