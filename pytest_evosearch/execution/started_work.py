"""Waits for threads that calls of a test have started, holds them up, and ends them.

What a thread does during the next call depends on chance. So the search waits a moment for threads
after each call. When it repeats the test, it holds threads up instead: a difference then depends on
threads, and is not asserted. A timer of a test does not run in later tests: its function runs at
the end of its own test.

State is restored after each test. A thread that runs on may write to it during other tests, at a
moment that depends on chance. So the state is restored while the thread runs, and checked again a
while later. A test is dropped when its thread changes state by then, or fails because its state is
gone. In a search, this kind of thread ends with its test.

For a thread that ends soon, a written test waits, and state is restored after that.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import field
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.watching.background_failures import THREAD
from pytest_evosearch.sut.watching.background_failures import BackgroundFailures

SETTLE_SECONDS = 0.25
"""Seconds to wait for threads after a call; a kind that takes longer is waited for once."""

HOLD_SECONDS = 0.1
"""Seconds for which a thread is held up; a handler that waits for it gets its result then."""

STARTED_BY = "_evosearch_started_by"
"""Attribute of a thread: the endpoint of the call that started it."""

STARTED_IN = "_evosearch_started_in"
"""Attribute of a thread that a call has started: the number of its test."""

LOOKED_AT_SECONDS = 1.0
"""Seconds for a thread to do its periodic work."""

ENDS_SOON_SECONDS = 2.0
"""Seconds within which a thread must end for a written test to wait for it."""

GLANCE_SECONDS = 0.02

MOST_LEFT = 8
"""Most threads of a kind left by earlier tests; a call itself may start any number."""

LOOKS = 3
"""Looks at threads of one kind that change nothing; after these the kind is trusted."""

SHOWN_PLACES = 3

FAILS = "leaves a thread running that fails once the state of the test is gone"

_POOL_WORKER = "concurrent.futures.thread"


Kind: TypeAlias = tuple[str, int, str]
"""What a thread runs, in a form that other processes know: file, line and name."""


@dataclass
class KnownThreads:
    """Knowledge of kinds of threads; forks receive it and return it."""

    lasting: set[Kind] = field(default_factory=set)
    """Kinds that still ran after the wait."""
    ends_soon: dict[Kind, bool] = field(default_factory=dict)
    """Kind -> whether one was seen to end soon."""
    phrases: dict[frozenset[Kind], str] = field(default_factory=dict)
    """Kinds -> their effect on later tests; with several, any may be the cause."""
    looks: dict[frozenset[Kind], int] = field(default_factory=dict)
    """Kinds -> how many looks found no change."""

    def adopt(self, other: KnownThreads) -> None:
        """Add what another process has found out."""
        self.lasting |= other.lasting
        self.ends_soon.update(other.ends_soon)
        self.phrases.update(other.phrases)
        self.looks.update(other.looks)


class StartedWork:
    """Knows the threads of the present test."""

    def __init__(self, failures: BackgroundFailures) -> None:
        self.failures = failures
        self.known = KnownThreads()
        self.test = 0
        """Number of the present test."""
        self._threads: list[threading.Thread] = []
        self._timers: list[threading.Timer] = []
        self._left: dict[Kind, list[threading.Thread]] = {}
        """Threads that earlier tests have left."""
        self._gate: threading.Event | None = None
        self.threads = 0
        """Number of threads that the present test has started, including those of pools."""

    def begin(self) -> None:
        """Forget the threads of earlier tests."""
        self.test += 1
        self._leave_few(self.running())
        self._threads.clear()
        self._timers.clear()
        self.threads = 0

    def _leave_few(self, running: Sequence[threading.Thread]) -> None:
        """End all but a few left-over threads of a kind: later calls could not start theirs."""
        for thread in running:
            self._left.setdefault(kind_of(thread), []).append(thread)
        for kind, threads in list(self._left.items()):
            alive = [one for one in threads if one.is_alive()]
            for one in alive[:-MOST_LEFT]:
                _end(one)
            self._left[kind] = alive[-MOST_LEFT:]

    def note(self, thread: threading.Thread) -> None:
        """Note that a call starts `thread`."""
        self.threads += 1
        if isinstance(thread, threading.Timer):
            self._timers.append(thread)
        elif not _is_pool_worker(thread):
            self._threads.append(thread)
            self._hold(thread)

    def _hold(self, thread: threading.Thread) -> None:
        gate, run = self._gate, thread.run
        if gate is None:
            return

        def later() -> None:
            gate.wait(HOLD_SECONDS)
            run()

        thread.run = later  # type: ignore[method-assign]

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """Hold up the threads that calls start inside the block."""
        gate = self._gate = threading.Event()
        try:
            yield
        finally:
            self._gate = None
            gate.set()

    def settle(self) -> None:
        """Wait a moment for started threads, unless they are held up or never end."""
        if self._gate is not None:
            return
        end = time.monotonic() + SETTLE_SECONDS
        for thread in self._threads:
            kind = kind_of(thread)
            if kind not in self.known.lasting:
                thread.join(max(0.0, end - time.monotonic()))
                if thread.is_alive():
                    self.known.lasting.add(kind)
        self._threads = [one for one in self._threads if one.is_alive()]
        if pending := self.failures.pending():
            wait(pending, timeout=max(0.0, end - time.monotonic()))

    def let_end(self) -> None:
        """Wait for the threads of the present test, except those known to last."""
        end = time.monotonic() + ENDS_SOON_SECONDS
        for thread in self.running():
            if self.known.ends_soon.get(kind_of(thread), True):
                thread.join(max(0.0, end - time.monotonic()))

    def running(self) -> list[threading.Thread]:
        """Return the running threads of the present test, without workers of pools."""
        return [one for one in self._threads if one.is_alive()]

    def finish(self) -> None:
        """Run the functions of pending timers, and forget the futures of the test."""
        timers, self._timers = self._timers, []
        for timer in timers:
            if not timer.finished.is_set():
                timer.cancel()
                runner: Any = threading.Thread(
                    target=timer.function, args=timer.args, kwargs=timer.kwargs, daemon=True
                )
                vars(runner)[STARTED_BY] = vars(timer).get(STARTED_BY, "")
                runner.start()
        self.settle()
        self.failures.finish()


def _is_pool_worker(thread: threading.Thread) -> bool:
    target = getattr(thread, "_target", None)
    return getattr(target, "__module__", "") == _POOL_WORKER


def kind_of(thread: threading.Thread) -> Kind:
    """Return what a thread runs: threads of one kind take about equally long."""
    target = getattr(thread, "_target", None)
    function = getattr(target, "__func__", target) or type(thread).run
    code = getattr(function, "__code__", None)
    if code is None:
        return "", 0, type(thread).__qualname__
    return code.co_filename, code.co_firstlineno, code.co_name


class ThreadEffects:
    """Finds out which kinds of threads change what later tests see."""

    def __init__(self, work: StartedWork) -> None:
        self._work = work
        self.is_waited_for = False
        """Whether all threads that the present test has left end soon."""

    def found(self, put_back: Callable[[], Sequence[str]]) -> tuple[str, ...]:
        """Return the effects on later tests of the threads that the present test has left.

        `put_back` restores the state and returns the places that had changed.
        """
        kinds = frozenset(kind_of(thread) for thread in self._work.running())
        self.is_waited_for = bool(kinds) and self._end_soon(kinds)
        if self.is_waited_for:
            return ()
        known = self._known(kinds)
        if known or not kinds or self._work.known.looks.get(kinds, 0) >= LOOKS:
            return tuple(sorted({self._work.known.phrases[some] for some in known}))
        phrase = self._look(put_back)
        if phrase:
            self._work.known.phrases[kinds] = phrase
        else:
            self._work.known.looks[kinds] = self._work.known.looks.get(kinds, 0) + 1
        return (phrase,) if phrase else ()

    def _known(self, kinds: frozenset[Kind]) -> list[frozenset[Kind]]:
        """Return the known sets of `kinds` that change what later tests see."""
        return [some for some in self._work.known.phrases if some <= kinds]

    def _end_soon(self, kinds: frozenset[Kind]) -> bool:
        """Say whether threads of these kinds end soon; wait for those of unknown kinds."""
        if not kinds <= self._work.known.ends_soon.keys():
            end = time.monotonic() + ENDS_SOON_SECONDS
            for thread in self._work.running():
                thread.join(max(0.0, end - time.monotonic()))
            lasting = {kind_of(thread) for thread in self._work.running()}
            self._work.known.ends_soon.update((kind, kind not in lasting) for kind in kinds)
        return all(self._work.known.ends_soon[kind] for kind in kinds)

    def _look(self, put_back: Callable[[], Sequence[str]]) -> str:
        """Restore the state, let the threads run, and return their effect on it; empty for none.

        A thread that has ended by then may still have changed something.
        """
        put_back()
        end = time.monotonic() + LOOKED_AT_SECONDS
        is_over = False
        while not is_over:
            is_over = not self._work.running() or time.monotonic() > end
            time.sleep(GLANCE_SECONDS)
            if places := put_back():
                shown = ", ".join(sorted(places)[:SHOWN_PLACES])
                return f"leaves a thread running that changes {shown}"
            if any(failure.how == THREAD for failure in self._work.failures.take()):
                return FAILS
        return ""

    def end(self) -> None:
        """End the present test, and its threads that are known to change what later tests see."""
        running = self._work.running()
        kinds = frozenset(map(kind_of, running))
        ended = frozenset().union(*self._known(kinds))
        for thread in running:
            if kind_of(thread) in ended or self._work.known.ends_soon.get(kind_of(thread)):
                _end(thread)
        if running:  # from now on they fail because their state is gone
            self._work.begin()


def _end(thread: threading.Thread) -> None:
    """Raise `SystemExit` in `thread` when it continues; its ``with`` blocks end normally."""
    if thread.ident is not None:
        raised = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raised(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
