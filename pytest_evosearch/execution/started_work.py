"""The threads that calls of a test have started: waited for, held up, and brought to an end.

What a thread does while the next call runs is chance.  So a test waits a moment for it after each
call; when the test is repeated, threads are held up instead, and what differs then depends on
them: it is not asserted.  A timer that a test has set does not reach into later tests: its function
runs at the end of the test.

State is put back after each test.  A thread that runs on writes to it again, while other tests
run, and when that happens is chance.  So the state is put back while such threads run, and looked
at again a while later.  No test is kept that leaves a thread which changes state by then, or which
fails because its state is gone.  In a search such a thread ends with its test.

A thread that ends soon is another matter: a written test waits for it, and its state is put back
after that.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.watching.background_failures import THREAD
from pytest_evosearch.sut.watching.background_failures import BackgroundFailures

SETTLE_SECONDS = 0.25
"""For what threads have to do; what takes longer is waited for once."""

HOLD_SECONDS = 0.1
"""For which a thread is held up: a handler that waits for it gets its answer then."""

STARTED_BY = "_evosearch_started_by"
"""Attribute of a thread: the endpoint that was being called when it was started."""

STARTED_IN = "_evosearch_started_in"
"""Attribute of a thread that a call has started: the number of its test."""

LOOKED_AT_SECONDS = 1.0
"""For a thread to do what it does once in a while."""

ENDS_SOON_SECONDS = 2.0
"""In which a thread ends that a written test waits for."""

GLANCE_SECONDS = 0.02

MOST_LEFT = 8
"""Threads of a kind that earlier tests have left; a call may start as many as it likes."""

LOOKS = 3
"""At threads of one kind that change nothing; after those they are trusted."""

SHOWN_PLACES = 3

FAILS = "leaves a thread running that fails once the state of the test is gone"

_POOL_WORKER = "concurrent.futures.thread"


Kind: TypeAlias = tuple[str, int, str]
"""What a thread runs, as another process knows it, too: file, line and name."""


@dataclass
class KnownThreads:
    """What is known of kinds of threads; a fork hands it on, and begins with it."""

    lasting: set[Kind] = field(default_factory=set)
    """Those that were still running after the wait."""
    ends_soon: dict[Kind, bool] = field(default_factory=dict)
    """Whether one was seen to end soon."""
    phrases: dict[frozenset[Kind], str] = field(default_factory=dict)
    """What they do to later tests: of several, any may be the one."""
    looks: dict[frozenset[Kind], int] = field(default_factory=dict)
    """How often they were looked at and changed nothing."""

    def adopt(self, other: KnownThreads) -> None:
        """Add what another process has found out."""
        self.lasting |= other.lasting
        self.ends_soon.update(other.ends_soon)
        self.phrases.update(other.phrases)
        self.looks.update(other.looks)


class StartedWork:
    """Knows what the present test has started."""

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
        """Threads that the present test has started, those of pools included."""

    def begin(self) -> None:
        """Forget what earlier tests have started."""
        self.test += 1
        self._leave_few(self.running())
        self._threads.clear()
        self._timers.clear()
        self.threads = 0

    def _leave_few(self, running: Sequence[threading.Thread]) -> None:
        """Let few threads of a kind that tests have left go on: others could not start theirs."""
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
        """Wait a moment for what has been started, unless it is held up or never ends."""
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
        """Wait for the threads of the present test, but for those that are known to last."""
        end = time.monotonic() + ENDS_SOON_SECONDS
        for thread in self.running():
            if self.known.ends_soon.get(kind_of(thread), True):
                thread.join(max(0.0, end - time.monotonic()))

    def running(self) -> list[threading.Thread]:
        """Return the threads of the present test that have not ended; no workers of pools."""
        return [one for one in self._threads if one.is_alive()]

    def finish(self) -> None:
        """Run the functions of timers that were set, and judge what has failed unseen."""
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
    """Return what a thread runs: threads of one kind last alike."""
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
        """Whether the present test has left threads that end soon, and no others."""

    def found(self, put_back: Callable[[], Sequence[str]]) -> tuple[str, ...]:
        """Return what the threads that the present test has left do to later tests.

        `put_back` brings the state back and says which places had changed.
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
        """Return those of `kinds` that change what later tests see, as they were found."""
        return [some for some in self._work.known.phrases if some <= kinds]

    def _end_soon(self, kinds: frozenset[Kind]) -> bool:
        """Say whether threads of these kinds end soon; those that are not known are waited for."""
        if not kinds <= self._work.known.ends_soon.keys():
            end = time.monotonic() + ENDS_SOON_SECONDS
            for thread in self._work.running():
                thread.join(max(0.0, end - time.monotonic()))
            lasting = {kind_of(thread) for thread in self._work.running()}
            self._work.known.ends_soon.update((kind, kind not in lasting) for kind in kinds)
        return all(self._work.known.ends_soon[kind] for kind in kinds)

    def _look(self, put_back: Callable[[], Sequence[str]]) -> str:
        """Put the state back, let the threads go on, and say what they do to it; empty for nothing.

        A thread may have ended by then: it has changed something all the same.
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
        if running:  # what fails in them from now on fails for want of their state
            self._work.begin()


def _end(thread: threading.Thread) -> None:
    """Raise `SystemExit` where `thread` is as soon as it goes on; blocks of `with` end."""
    if thread.ident is not None:
        raised = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raised(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
