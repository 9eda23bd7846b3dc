"""Passes over waits while the application is set up, and knows where it waits.

A factory may ask a server that is not running again and again, after ever longer waits.  Until the
application is there, sleeps take a few seconds altogether, and connections are tried for a short
time.  The written tests do the same, where that was necessary.
"""

from __future__ import annotations

import sys
import threading
import time as application_time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.patches import bindings_of
from pytest_evosearch.sut.surroundings import is_project_file
from pytest_evosearch.sut.surroundings import project_modules
from pytest_evosearch.sut.watching.services import Address
from pytest_evosearch.sut.watching.services import ServiceWatch

MOST_SLEEP = 5.0
"""Seconds that all sleeps of the main thread take, at most, until the application is there.

A server that the project itself starts has begun by then.
"""

MOST_SLEEP_WITHOUT_SERVICE = 2.0
"""The same, as soon as a service was missed."""

LONGEST_NAP = 0.05
"""Seconds that every other sleep takes, at most: a loop that polls spends no processor."""

LONGEST_CONNECT = 3.0
"""Seconds that one connection may be tried."""

LEAST_PASSED = 1.0
"""Seconds passed over, from which on the written tests pass over waits, too."""

FIXTURE = f'''\
@pytest.fixture(scope="session", autouse=True)
def abbreviated_waits():
    """Keep waits short: what {{waited_for}} would take {{seconds:.0f}} s."""
    wait = time.sleep
    with pytest.MonkeyPatch.context() as patch:
        for name in {{names}}:
            patch.setattr(name, lambda seconds: wait(min(seconds, {LONGEST_NAP})))
        yield
'''


class StartingWaits(ServiceWatch):
    """Shortens the waits of the main thread, while it is installed."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root
        self._sleep: Callable[[float], None] = application_time.sleep
        self._stand_in: Any = _ShortSleep(self)
        self._thread = threading.main_thread()
        self._slept = 0.0
        self._is_own: dict[str, bool] = {}
        self.passed = 0.0
        """Seconds that were passed over."""
        self.service = ""
        """The service that was missed last: ``127.0.0.1:5987 (connection refused)``."""
        self._place = ""

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Shorten waits inside the block, also where a module imported `sleep` by name there."""
        application_time.sleep = self._stand_in
        try:
            with super().installed():
                yield
        finally:
            for module, name in bindings_of(self._stand_in, [*sys.modules.values()]):
                setattr(module, name, self._sleep)

    def sleep(self, seconds: float) -> None:
        """Sleep as `time.sleep` does, as long as the patience lasts."""
        if threading.current_thread() is not self._thread or seconds <= LONGEST_NAP:
            self._sleep(seconds)
            return
        most = MOST_SLEEP_WITHOUT_SERVICE if self.service else MOST_SLEEP
        real = min(seconds, max(most - self._slept, LONGEST_NAP))
        self._slept += real
        self.passed += seconds - real
        if seconds > real:
            self._place = self.place_of(sys._getframe(2))
        self._sleep(real)

    def place(self) -> str:
        """Return where in the project the main thread is now: ``app.py:16``; empty outside."""
        return self.place_of(sys._current_frames().get(self._thread.ident or 0))

    def place_of(self, frame: FrameType | None) -> str:
        """Return the innermost line of the project in which a frame is; empty for none."""
        while frame is not None:
            file = frame.f_code.co_filename
            if file not in self._is_own:
                self._is_own[file] = file[:1] != "<" and is_project_file(Path(file), self._root)
            if self._is_own[file]:
                return f"{os.path.relpath(os.path.realpath(file), self._root)}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    @property
    def description(self) -> str:
        """Return what was passed over, for the user; empty for nothing."""
        if self.passed < LEAST_PASSED:
            return ""
        place = f" at {self._place}" if self._place else ""
        cause = f" for {self.service}" if self.service else ""
        return f"it would wait {self.passed:.0f} s{cause}{place}; such waits are passed over"

    @property
    def source(self) -> str:
        """Return the fixture with which the written tests do not wait, either."""
        waited_for = f"waits for {self.service}" if self.service else "the application waits for"
        modules = [application_time, *project_modules(self._root)]
        names = [
            f'"{module.__name__}.{name}"' for module, name in bindings_of(self._stand_in, modules)
        ]
        listed = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        return FIXTURE.format(waited_for=waited_for, seconds=self.passed, names=listed)

    def _miss(self, host: str, port: int, reason: str) -> None:
        self.service = f"{host}:{port} ({reason})" if port else f"{host} ({reason})"
        super()._miss(host, port, reason)

    def _note(self, place: Address, failure: OSError) -> None:
        super()._note(place, failure)
        if isinstance(failure, TimeoutError):
            self._known[place] = failure

    def _connected(self, connection: Any, address: Any, real: Callable[..., Any]) -> Any:
        seconds = connection.gettimeout()
        if seconds is not None and seconds <= LONGEST_CONNECT:
            return super()._connected(connection, address, real)
        connection.settimeout(LONGEST_CONNECT)
        try:
            return super()._connected(connection, address, real)
        finally:
            connection.settimeout(seconds)


class _ShortSleep:
    """Takes the place of `time.sleep`; an object, since a function would become a method."""

    def __init__(self, waits: StartingWaits) -> None:
        self._waits = waits

    def __call__(self, seconds: float, /) -> None:
        """Sleep, hardly at all where the patience is over."""
        self._waits.sleep(seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the real function."""
        return eval, ("__import__('time').sleep",)
