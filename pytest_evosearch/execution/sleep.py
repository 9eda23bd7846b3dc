"""Lets the application's sleeps return at once during a search.

A handler that sleeps for ten seconds costs a hundred tests. Nothing can be learnt from waiting, so
`time.sleep` returns at once and adds up the requested seconds. A call that requests more than its
time limit counts as a freeze, without any wait; one that has asked another service may wait longer
before it tries again. Where the call has started threads, a sleep lasts
until these are done. Other threads (watchers, timers) and the time between calls keep the real
function.
"""

from __future__ import annotations

import re
import sys
import threading
import time as application_time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.own_time import OWN_PACKAGES
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.started_work import STARTED_BY
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import bindings_of

LONGEST_NAP = 0.0002
"""Seconds that a shortened sleep really takes: enough for other threads to run."""

MANY_NAPS = 100
SPARSE = 10
"""Number of sleeps in a call after which only each tenth takes real time.

A stream may sleep after each of ten thousand pieces. By then, threads that a handler waits for have
had their turns.
"""

SLICE_SECONDS = 0.02
"""Seconds of one slice of a thread's sleep: the thread can be ended between two slices."""

LONGEST_BACK_OFF = 300.0
"""Seconds that a call may request in all where it asks other services: it tries again, and ends."""

LONGEST_WAIT = 1.0
"""Most seconds of one call that its sleeps last, where it has started threads that are not done.

The response shows what the threads have done by then, here as in a written test. Handlers that
sleep longer get no test (`execution.judging.LONGEST_SLEEP`).
"""


def sleeping_modules(modules: Iterable[ModuleType]) -> list[ModuleType]:
    """Return `modules` and the libraries that imported `time.sleep` by name, for a later retry."""
    libraries = [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and module is not application_time
        and name.partition(".")[0] not in OWN_PACKAGES
        and _holds(module, application_time.sleep)
    ]
    return list({id(module): module for module in (*modules, *libraries)}.values())


def _holds(module: ModuleType, function: object) -> bool:
    return any(value is function for value in list(vars(module).values()))


class ShortenedSleep:
    """Replaces `time.sleep` during the calls of a search."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._original = application_time.sleep
        self._thread = threading.get_ident()
        self._process = 0
        self._counting = False
        self._naps = 0
        self._waited = 0.0
        self._known: Sequence[threading.Thread] = ()
        self.asks_others: Callable[[], bool] = bool
        """Says whether the present call has asked another service."""
        self._lasting: set[str] = set()
        """Names, without numbers, of threads that run longer than a test would wait."""
        self.slept = 0.0
        """Seconds that the present call asked for."""
        self.noted = 0.0
        """What `slept` was when `note` was called."""

    @contextmanager
    def installed(self, modules: Iterable[ModuleType]) -> Iterator[None]:
        """Replace `time.sleep`, also where one of `modules` imported it by name."""
        with Patches() as patches:
            for module, name in bindings_of(self._original, {application_time, *modules}):
                patches.setattr(module, name, self)
            yield

    def counted(self) -> ShortenedSleep:
        """Shorten the sleeps inside the block, and add them up in `slept`."""
        return self

    def __enter__(self) -> None:
        self.slept = self.noted = 0.0
        self._naps = 0
        self._waited = 0.0
        self._known = threading.enumerate()
        self._process = os.getpid()
        self._counting = True

    def __exit__(self, *_exception: object) -> None:
        self._counting = False

    def note(self) -> None:
        """Keep the seconds that the present call has slept so far."""
        self.noted = self.slept

    def __call__(self, seconds: float, /) -> None:
        """Sleep as `time.sleep` does, or hardly at all inside a counted call."""
        if seconds > 0 and vars(threading.current_thread()).get(STARTED_BY):
            self._sleep_in_slices(seconds)
            return
        if not self._counting or seconds < 0 or not self._is_the_searching_thread():
            self._original(seconds)
            return
        self.slept += seconds
        if self.slept > self._limit and not (self.slept <= LONGEST_BACK_OFF and self.asks_others()):
            raise TimeLimitExceeded
        self._await_threads(min(seconds, LONGEST_WAIT - self._waited))
        self._naps += 1
        if self._naps < MANY_NAPS or self._naps % SPARSE == 0:
            time.sleep(min(seconds, LONGEST_NAP))

    def _sleep_in_slices(self, seconds: float) -> None:
        """Sleep so that a thread of a call can be ended soon (`started_work`)."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self._original(min(rest, SLICE_SECONDS))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the real function: ``Process(target=time.sleep)``."""
        return eval, ("__import__('time').sleep",)

    def _is_the_searching_thread(self) -> bool:
        """Return False in other threads, and in processes that the application has forked."""
        return threading.get_ident() == self._thread and os.getpid() == self._process

    def _await_threads(self, seconds: float) -> None:
        """Wait for threads that the call has started, at most as many seconds as given.

        A kind of thread that outlasts a long wait is not waited for again.
        """
        threads = [one for one in threading.enumerate() if one not in self._known]
        started = [one for one in threads if _kind_of(one) not in self._lasting]
        if not started:
            return
        began = time.monotonic()
        for thread in started:
            thread.join(max(0.0, began + seconds - time.monotonic()))
        self._waited += time.monotonic() - began
        if self._waited >= LONGEST_WAIT:
            self._lasting.update(_kind_of(one) for one in started if one.is_alive())


def _kind_of(thread: threading.Thread) -> str:
    return re.sub(r"\d+", "", thread.name)
