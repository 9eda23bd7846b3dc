from __future__ import annotations

import _thread
import builtins
import contextlib
import ctypes
import io
import json
import os
import pickle
import random
import re
import signal
import socket
import sys
import threading
import time
import typing
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import Client

from pytest_evosearch.execution import threads
from pytest_evosearch.execution.current_call import LOOKS_AT_FIRST
from pytest_evosearch.execution.current_call import TESTS_BETWEEN_LOOKS
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.threads import ThreadWatch
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnds
from pytest_evosearch.sut.sandbox.process_ends import installed_ends
from pytest_evosearch.sut.sandbox.shared_resources import IDENTITY
from pytest_evosearch.sut.sandbox.shared_resources import installed_resources


@pytest.fixture
def process() -> Iterator[ProtectedProcess]:
    process = ProtectedProcess()
    yield process
    process.release()


def test_working_directory_is_put_back(process: ProtectedProcess, tmp_path: Path) -> None:
    before = Path.cwd()
    with process.protected():
        os.chdir(tmp_path)
    assert Path.cwd() == before
    assert list(process.disturbances) == ["changes the working directory"]


def test_deleted_working_directory_is_left(process: ProtectedProcess, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    before = Path.cwd()
    with process.protected():
        os.chdir(folder)
        folder.rmdir()
    assert Path.cwd() == before


def test_replaced_functions_are_put_back(process: ProtectedProcess) -> None:
    before = (time.time, random.random, json.dumps, os.replace)
    with process.protected():
        time.time = lambda: 0.0
        random.random = lambda: 0.5
        del json.dumps
        os.replace = None  # type: ignore[assignment]
    assert (time.time, random.random, json.dumps, os.replace) == before
    assert list(process.disturbances) == ["replaces functions of time, random, json, os"]


@pytest.mark.parametrize("name", ["len", "isinstance", "str", "getattr", "Exception"])
def test_a_builtin_function_is_put_back_before_anything_needs_it(
    process: ProtectedProcess, name: str
) -> None:
    before = getattr(builtins, name)
    with process.protected(), process.call:
        vars(builtins)[name] = None
    assert getattr(builtins, name) is before
    assert list(process.disturbances) == ["replaces functions of builtins"]


def test_functions_of_whole_modules_are_put_back(process: ProtectedProcess) -> None:
    before = os.path.join, os.link, time.strftime, random.Random
    with process.kept_alive(ProcessEnds()):
        with process.protected(), process.call:
            os.path.join = os.link = time.strftime = None  # type: ignore[assignment]
            random.Random = None  # type: ignore[misc, assignment]
        assert list(process.disturbances) == [
            "replaces functions of posixpath",
            "replaces functions of os, time, random",
        ]
    assert (os.path.join, os.link, time.strftime, random.Random) == before


def test_library_functions_are_put_back_at_the_latest_after_the_test(
    process: ProtectedProcess,
) -> None:
    before = typing.cast, contextlib.suppress, re.compile, Path.exists
    with process.kept_alive(ProcessEnds()):
        with process.protected():
            with process.call:
                typing.cast = contextlib.suppress = None  # type: ignore[assignment, misc]
                re.compile = Path.exists = None  # type: ignore[assignment, method-assign]
            assert typing.cast is before[0]  # a client of the same test needs it
        assert (typing.cast, contextlib.suppress, re.compile, Path.exists) == before
    assert list(process.disturbances) == [
        "replaces functions of typing",
        "replaces functions of contextlib, Path, re",
    ]


def clear_modules() -> None:
    for name in [one for one in sys.modules if one not in ("sys", "builtins")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "remove", [clear_modules, sys.path.clear, sys.meta_path.clear, sys.path_hooks.clear]
)
def test_what_imports_need_is_put_back(
    process: ProtectedProcess, remove: Callable[[], None]
) -> None:
    before = sys.modules["json"], list(sys.path), list(sys.meta_path), list(sys.path_hooks)
    with process.protected(), process.call:
        remove()
    after = sys.modules["json"], list(sys.path), list(sys.meta_path), list(sys.path_hooks)
    assert after == before
    assert list(process.disturbances) == ["removes modules or search paths of imports"]


def test_what_comes_in_addition_to_imports_is_left_alone(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with process.protected(), process.call:
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(sys.modules, "fresh_module_of_a_call", sys)
    assert sys.path[0] == str(tmp_path)
    assert not process.disturbances


def test_replacement_that_refuses_comparison_is_put_back(process: ProtectedProcess) -> None:
    class Rude:
        def __eq__(self, other: object) -> bool:
            raise TypeError

        __hash__ = None  # type: ignore[assignment]

    before = time.time
    with process.protected():
        time.time = Rude()  # type: ignore[assignment]
    assert time.time is before


def test_variables_that_are_set_are_put_back_silently(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVOSEARCH_EXAMPLE", raising=False)
    home = os.environ.get("HOME")
    with process.protected():
        os.environ["EVOSEARCH_EXAMPLE"] = "1"
        os.environ["HOME"] = "/elsewhere"
    assert "EVOSEARCH_EXAMPLE" not in os.environ
    assert os.environ.get("HOME") == home
    assert not process.disturbances


def test_signal_handlers_are_put_back(process: ProtectedProcess) -> None:
    before = signal.getsignal(signal.SIGINT)
    with process.protected():
        # Neither what it is nor what it may be: in the background of a shell it is ignored.
        signal.signal(signal.SIGINT, lambda *_: None)
    assert signal.getsignal(signal.SIGINT) is before
    assert list(process.disturbances) == ["takes over a signal"]


def test_looking_at_handlers_makes_no_enumerations(process: ProtectedProcess) -> None:
    """It is done after every call, and was a twentieth of a search."""
    called = []
    sys.setprofile(lambda frame, _event, _arg: called.append(frame.f_code.co_filename))
    try:
        process.restore()
    finally:
        sys.setprofile(None)
    assert not [path for path in called if path.endswith(("signal.py", "enum.py"))]


def test_handler_cannot_end_the_process(process: ProtectedProcess) -> None:
    before = os._exit
    with installed_ends() as ends, process.kept_alive(ends), process.protected():
        with pytest.raises(SystemExit):
            os._exit(3)
        os.kill(os.getpid(), signal.SIGTERM)
    assert os._exit is before
    assert list(process.disturbances) == [
        "ends the process",
        "sends SIGTERM to the process that runs it",
    ]


def test_thread_that_ends_the_process_later_is_told_of_its_call() -> None:
    current, gate = CurrentCall(), threading.Event()

    def end() -> None:
        gate.wait()
        os._exit(3)

    with ExitStack() as stack:
        ends = stack.enter_context(installed_ends())
        stack.enter_context(ThreadWatch(current).installed())
        process = ProtectedProcess()  # as in a search: with the hook that tells nobody of threads
        stack.enter_context(process.kept_alive(ends))
        current.begin("POST /shutdown")
        with process.protected():
            thread = threading.Thread(target=end)
            thread.start()
        current.begin("GET /")
        with process.protected():
            gate.set()
            thread.join()
    assert not process.disturbances
    assert process.late == {"POST /shutdown": "ends the process"}


def open_stdout(monkeypatch: pytest.MonkeyPatch) -> io.TextIOWrapper:
    stream = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_standard_streams_stay_open_and_in_place(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = open_stdout(monkeypatch)
    with process.protected():
        sys.stdout.close()
        sys.stdout = io.StringIO()
    assert sys.stdout is stream
    assert not stream.closed
    assert list(process.disturbances) == [
        "closes a standard stream",
        "replaces a standard stream",
    ]


@pytest.mark.parametrize("name", ["stdout", "stderr", "__stdout__", "__stderr__"])
def test_a_standard_stream_that_is_taken_away_is_put_back_and_told(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stream = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, name, stream)
    with process.protected():
        setattr(sys, name, None)
    assert getattr(sys, name) is stream
    assert list(process.disturbances) == ["replaces a standard stream"]


@pytest.mark.parametrize("name", ["__stdout__", "__stderr__"])
def test_what_the_interpreter_began_with_stays_open(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stream = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, name, stream)
    with process.protected():
        stream.close()
    assert not stream.closed


def test_a_stream_that_is_redirected_for_a_while_is_no_disturbance(
    process: ProtectedProcess,
) -> None:
    with process.protected(), contextlib.redirect_stdout(io.StringIO()):
        pass
    assert not process.disturbances


def test_streams_can_be_closed_after_release(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = open_stdout(monkeypatch)
    with process.protected():
        pass
    process.release()
    stream.close()
    assert stream.closed


def test_what_requests_are_sent_with_is_put_back(
    process: ProtectedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, send = Flask.test_client, Client.open
    monkeypatch.setattr(Flask, "test_client", make)
    monkeypatch.setattr(Client, "open", send)
    with process.kept_alive(ProcessEnds()), process.protected():
        with process.call:
            Flask.test_client = Client.open = None  # type: ignore[assignment,method-assign]
        assert (Flask.test_client, Client.open) == (make, send)
        assert list(process.disturbances) == ["replaces functions of Flask, Client"]


def test_recursion_limit_is_put_back(process: ProtectedProcess) -> None:
    before = sys.getrecursionlimit()
    with process.protected():
        sys.setrecursionlimit(before + 100)
    assert sys.getrecursionlimit() == before


def test_a_limit_of_recursions_below_the_usual_one_is_told(process: ProtectedProcess) -> None:
    before = sys.getrecursionlimit()
    with process.protected():
        sys.setrecursionlimit(before + 100)
    assert not process.disturbances
    with process.protected():
        sys.setrecursionlimit(900)
    assert sys.getrecursionlimit() == before
    assert list(process.disturbances) == ["lowers the limit of recursions"]


def test_disturbances_are_those_of_the_last_block(
    process: ProtectedProcess, tmp_path: Path
) -> None:
    with process.protected():
        os.chdir(tmp_path)
    with process.protected():
        pass
    assert not process.disturbances


def test_exceptions_pass_and_the_rest_is_put_back(
    process: ProtectedProcess, tmp_path: Path
) -> None:
    before = Path.cwd()
    with contextlib.suppress(KeyError), process.protected():
        os.chdir(tmp_path)
        raise KeyError
    assert Path.cwd() == before


def test_thread_of_a_handler_does_not_keep_the_process_from_ending() -> None:
    watch, release = ThreadWatch(CurrentCall()), threading.Event()
    with watch.installed():
        watch.begin()
        thread = threading.Thread(target=release.wait)
        thread.start()
        assert thread.daemon
        assert watch.lingering()
        release.set()
        thread.join()
        assert not watch.lingering()


def test_threads_without_end_are_refused_as_the_system_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    current, release = CurrentCall(), threading.Event()
    watch = ThreadWatch(current)
    monkeypatch.setattr(threads, "MOST_THREADS", threading.active_count() + 2)
    with watch.installed():
        current.begin("GET /many")
        for _ in range(3):
            threading.Thread(target=release.wait).start()
        with pytest.raises(RuntimeError, match="can't start new thread"):
            threading.Thread(target=release.wait).start()
        current.end()
        ours = threading.Thread(target=release.wait)
        ours.start()  # no call has started it
        release.set()
    assert list(watch.refusals.values()) == [1]


def test_many_threads_that_take_a_moment_each_are_not_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    current = CurrentCall()
    watch = ThreadWatch(current)
    monkeypatch.setattr(threads, "MOST_THREADS", threading.active_count() + 2)
    monkeypatch.setattr(threads, "ENDING_SECONDS", 20.0)
    started = [threading.Thread(target=time.sleep, args=(0.002,)) for _ in range(20)]
    with watch.installed():
        current.begin("GET /many")
        for thread in started:
            thread.start()
        current.end()
        for thread in started:
            thread.join()
    assert not watch.refusals


def test_a_worker_without_work_does_not_linger() -> None:
    """Python ends those of `concurrent.futures`, which views that are coroutines leave."""
    watch, release = ThreadWatch(CurrentCall()), threading.Event()
    with watch.installed(), ThreadPoolExecutor(1) as idle, ThreadPoolExecutor(1) as busy:
        watch.begin()
        idle.submit(int).result()
        assert not watch.lingering()
        busy.submit(release.wait)
        assert watch.lingering()
        release.set()


def test_daemons_and_short_threads_do_not_linger() -> None:
    watch, release = ThreadWatch(CurrentCall()), threading.Event()
    with watch.installed():
        watch.begin()
        daemon = threading.Thread(target=release.wait, daemon=True)
        daemon.start()
        short = threading.Thread(target=time.sleep, args=(0.01,))
        short.start()
        assert not watch.lingering()
        assert not short.is_alive()
    release.set()
    daemon.join()


def raise_by_timer() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0.001)
    while True:
        pass


@pytest.mark.parametrize(
    ("end", "name"),
    [
        (raise_by_timer, "SIGPROF"),
        (lambda: os.kill(os.getpid(), signal.SIGUSR1), "SIGUSR1"),
        (lambda: getattr(ctypes.CDLL(None), "raise")(signal.SIGUSR2), "SIGUSR2"),
    ],
)
def test_a_signal_that_nobody_handles_ends_the_call_alone(
    process: ProtectedProcess, end: Callable[[], object], name: str
) -> None:
    number = getattr(signal, name)
    with process.kept_alive(ProcessEnds()):
        with process.protected(), pytest.raises(ProcessEnd), process.call:
            end()
        assert list(process.disturbances) == [f"ends the process by {name}"]
    assert signal.getsignal(number) is signal.SIG_DFL


def test_a_timer_that_is_late_ends_nothing(process: ProtectedProcess) -> None:
    with process.kept_alive(ProcessEnds()):
        with process.protected():
            process.__enter__()
            process._is_calling, process._is_leaving = False, True  # the call has just ended
            os.kill(os.getpid(), signal.SIGPROF)
            process.__exit__(None)
        assert list(process.disturbances) == ["ends the process by SIGPROF"]


def test_a_signal_that_the_application_handles_is_its_own(process: ProtectedProcess) -> None:
    heard = []
    with process.kept_alive(ProcessEnds()), process.protected(), process.call:
        signal.signal(signal.SIGUSR1, lambda number, _frame: heard.append(number))
        os.kill(os.getpid(), signal.SIGUSR1)
    assert heard == [signal.SIGUSR1]
    assert not process.disturbances


def test_another_interpreter_gets_the_real_functions() -> None:
    with installed_ends(), installed_resources():
        pickled = pickle.dumps((os.kill, os.close))
    assert pickle.loads(pickled) == (os.kill, os.close)


def hang_after(set_alarm: Callable[[], object]) -> None:
    set_alarm()
    signal.alarm(0)
    time.sleep(5)


@pytest.mark.parametrize(
    "set_alarm", [lambda: signal.alarm(1), lambda: signal.setitimer(signal.ITIMER_REAL, 0.01)]
)
def test_an_alarm_that_nobody_handles_is_told_and_leaves_the_time_limit_alone(
    set_alarm: Callable[[], object],
) -> None:
    limit = TimeLimit(0.2)
    limit.install()
    process = ProtectedProcess()
    with installed_ends() as ends, process.kept_alive(ends):
        with process.protected(), pytest.raises(TimeLimitExceeded), limit.limited(), process.call:
            hang_after(set_alarm)
        assert list(process.disturbances) == ["sets an alarm that ends the process"]
    limit.uninstall()
    process.release()


def test_interrupting_the_main_thread_is_no_ctrl_c(process: ProtectedProcess) -> None:
    with installed_ends() as ends, process.kept_alive(ends):
        with process.protected(), process.call:
            _thread.interrupt_main()
        assert list(process.disturbances) == ["sends SIGINT to the process that runs it"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: os.setpgid(0, 0),
        lambda: os.nice(5),
        lambda: os.seteuid(65534),
        lambda: os.setuid(65534),
        lambda: os.setgroups([]),
        lambda: os.chroot("/tmp"),
    ],
)
def test_who_the_process_is_stays(change: Callable[[], object]) -> None:
    def identity() -> tuple[object, ...]:
        root = Path("/").stat().st_ino
        return os.getpgrp(), os.getsid(0), os.nice(0), os.getresuid(), os.getgroups(), root

    with installed_resources() as resources:
        process, before = ProtectedProcess(resources), identity()
        with process.protected(), process.call, contextlib.suppress(PermissionError):
            change()
        process.release()
        assert identity() == before
    if os.geteuid() == 0:
        assert list(process.disturbances) == [IDENTITY]


def test_after_familiar_tests_it_is_looked_now_and_then_until_something_was_changed() -> None:
    process = ProtectedProcess()
    usual = socket.getdefaulttimeout()

    def left_by_a_test() -> float | None:
        with process.protected():
            socket.setdefaulttimeout(7.0)
            process.attention.is_familiar = True
        return socket.getdefaulttimeout()

    passed_over = [left_by_a_test() for _ in range(TESTS_BETWEEN_LOOKS - 1)]

    assert passed_over == [7.0] * len(passed_over)
    assert [left_by_a_test() for _ in range(3)] == [usual] * 3


def test_calls_of_a_well_known_endpoint_are_looked_at_when_a_test_reaches_something_new() -> None:
    process = ProtectedProcess()
    directory = Path.cwd()

    for _ in range(LOOKS_AT_FIRST + 1):
        with process.protected(["GET /"]), process.call:
            pass
    with process.protected(["GET /"]):
        with process.call:
            os.chdir("/")
        assert Path.cwd() == Path("/")
    assert Path.cwd() == directory
    assert list(process.disturbances) == ["changes the working directory"]
    with process.protected(["GET /"]):  # from now on each call is looked at
        with process.call:
            os.chdir("/")
        assert Path.cwd() == directory


def test_a_call_that_fails_is_looked_at_although_its_endpoint_is_well_known() -> None:
    process = ProtectedProcess()
    directory = Path.cwd()
    for _ in range(LOOKS_AT_FIRST + 1):
        with process.protected(["GET /"]), process.call:
            pass
    with process.protected(["GET /"]):
        with contextlib.suppress(ZeroDivisionError), process.call:
            os.chdir("/")
            1 / 0  # noqa: B018
        assert Path.cwd() == directory
