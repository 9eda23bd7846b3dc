"""Sees exceptions that no response shows: in threads, and in logs of libraries.

    a thread that crashes                       `threading.excepthook` (`execution.threads`)
    an exception that is logged as an error     `logging.Logger.handle`

It also knows the unfinished futures of a test, for which the search waits a moment.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import Patches

THREAD = "a thread"
LOG = "the log"

_OF_TASKS = "asyncio"
"""Logger of event loops: they log an exception when its task is deleted, in whatever call."""


@dataclass(frozen=True)
class BackgroundFailure:
    """One exception, and where it was seen."""

    error: BaseException
    how: str
    started_by: str
    """The endpoint whose call caused it; empty for work that the application does on its own."""
    logger: str = ""
    """Name of the logger, for a logged exception."""
    in_call: bool = False
    """Whether the thread of the call logged it."""


class BackgroundFailures:
    """Collects exceptions that no response shows, while it is installed."""

    def __init__(
        self, origin: Callable[[], str], is_of_earlier_test: Callable[[], bool] = lambda: False
    ) -> None:
        self._origin = origin
        """Returns the endpoint whose call the present thread works for."""
        self._is_of_earlier_test = is_of_earlier_test
        """Says whether an earlier test has started the present thread.

        A failure there may be caused by the restored state of that test.
        """
        self._failures: list[BackgroundFailure] = []
        self._futures: list[weakref.ref[Future[Any]]] = []

    def note(self, error: BaseException | None, how: str, started_by: str | None = None) -> None:
        """Remember an exception."""
        if isinstance(error, Exception) and not (how == THREAD and self._is_of_earlier_test()):
            origin = self._origin() if started_by is None else started_by
            self._failures.append(BackgroundFailure(error, how, origin))

    def take(self) -> list[BackgroundFailure]:
        """Return the failures since the last call."""
        if not self._failures:
            return []
        taken, self._failures = self._failures, []
        return taken

    def pending(self) -> list[Future[Any]]:
        """Return the unfinished futures of the present test."""
        found = [one for one in (reference() for reference in self._futures) if one is not None]
        return [one for one in found if not one.done()]

    def finish(self) -> None:
        """Forget the futures of a test that has ended."""
        self._futures.clear()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listen inside the block."""
        with Patches() as patches:
            self._listen_to_logs(patches)
            self._listen_to_futures(patches)
            yield

    def _listen_to_logs(self, patches: Patches) -> None:
        real = logging.Logger.handle
        failures = self

        def handle(self: logging.Logger, record: logging.LogRecord) -> None:
            failures._note_record(record)
            real(self, record)

        patches.setattr(logging.Logger, "handle", handle)

    def _note_record(self, record: logging.LogRecord) -> None:
        """Note the exception of a log record, unless its moment depends on chance."""
        said = record.exc_info
        error = said[1] if isinstance(said, tuple) and len(said) > 1 else None
        if record.levelno < logging.ERROR or not isinstance(error, Exception):
            return
        if record.name == _OF_TASKS:
            return
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main and self._is_of_earlier_test():
            return
        origin = self._origin()
        self._failures.append(BackgroundFailure(error, LOG, origin, record.name, is_main))

    def _listen_to_futures(self, patches: Patches) -> None:
        real_submit = ThreadPoolExecutor.submit
        failures = self

        def submit(self: Any, *arguments: Any, **keywords: Any) -> Any:
            future: Any = real_submit(self, *arguments, **keywords)
            failures._futures.append(weakref.ref(future))
            return future

        patches.setattr(ThreadPoolExecutor, "submit", submit)
