"""Lets the application's own naps pass at once while it is searched.

A handler that sleeps for ten seconds costs a hundred tests.  Nothing can be learnt from
waiting, so `time.sleep` returns at once and counts what was asked for; more
than the time limit in one call is a freeze, found without waiting for it.  Where the call has
started threads, a nap lasts until these are done.  Other threads (watchers, timers) and the time
between calls keep the real function.
"""

from __future__ import annotations

import re
import sys
import threading
import time as application_time
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.own_packages import OWN_PACKAGES
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.started_work import STARTED_BY

LONGEST_NAP = 0.0002
"""Seconds that a nap really takes: enough to let other threads run."""

MANY_NAPS = 100
SPARSE = 10
"""From so many naps of a call on only each tenth is one.

A stream of ten thousand pieces that naps after each took three seconds; threads that a handler
waits for had their turns by then.
"""

SLICE_SECONDS = 0.02
"""Of the nap of a thread that a call has started: it ends between two of them, if it has to."""

LONGEST_WAIT = 1.0
"""Seconds of one call that its naps last where it has started threads, and these are not done.

What they have done by then shows in the answer, here as in a written test.  Tests of handlers that
sleep longer are not written (`execution.judging.LONGEST_SLEEP`).
"""


def sleeping_modules(modules: Iterable[ModuleType]) -> list[ModuleType]:
    """Return `modules` and the libraries that imported `time.sleep` by name, to try again later."""
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
    """Stands in for `time.sleep` during the calls of a search."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._original = application_time.sleep
        self._thread = threading.get_ident()
        self._process = 0
        self._counting = False
        self._naps = 0
        self._waited = 0.0
        self._known: Sequence[threading.Thread] = ()
        self._lasting: set[str] = set()
        """Names, without their numbers, of threads that go on for longer than a test would."""
        self.slept = 0.0
        """Seconds that the present call asked for."""
        self.noted = 0.0
        """What `slept` was when `note` was called."""

    @contextmanager
    def installed(self, modules: Iterable[ModuleType]) -> Iterator[None]:
        """Replace `time.sleep`, also where one of `modules` imported it by name."""
        original = self._original
        places: list[tuple[ModuleType, str]] = [(application_time, "sleep")]
        for module in modules:
            places += [(module, name) for name, value in vars(module).items() if value is original]
        for module, name in places:
            setattr(module, name, self)
        try:
            yield
        finally:
            for module, name in places:
                if getattr(module, name, None) is self:
                    setattr(module, name, original)

    def counted(self) -> ShortenedSleep:
        """Shorten the naps inside the block and count them in `slept`."""
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
        """Keep how long the present call has slept so far."""
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
        if self.slept > self._limit:
            raise TimeLimitExceeded
        self._await_threads(min(seconds, LONGEST_WAIT - self._waited))
        self._naps += 1
        if self._naps < MANY_NAPS or self._naps % SPARSE == 0:
            time.sleep(min(seconds, LONGEST_NAP))

    def _sleep_in_slices(self, seconds: float) -> None:
        """Sleep where a thread that a call has started can be ended soon (`started_work`)."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self._original(min(rest, SLICE_SECONDS))

    def __reduce__(self) -> tuple[Any, ...]:
        """Be the real function in another interpreter: ``Process(target=time.sleep)``."""
        return eval, ("__import__('time').sleep",)

    def _is_the_searching_thread(self) -> bool:
        """Say no in other threads, and in processes that the application has forked."""
        return threading.get_ident() == self._thread and os.getpid() == self._process

    def _await_threads(self, seconds: float) -> None:
        """Let threads that the call has started go on until they are done, for so long at most.

        A kind of thread that is not done when the call has waited long is not waited for again.
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
