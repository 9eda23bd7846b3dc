"""Sees exceptions that no response shows: in threads, in tasks, and in logs of libraries.

    a thread that crashes                       `threading.excepthook` (`execution.threads`)
    a future whose exception nothing reads      `concurrent.futures.Future`
    a task whose exception nothing retrieves    the handler of an event loop of asyncio
    a finalizer or a callback that raises       `sys.unraisablehook`
    an exception that is logged as an error     `logging.Logger.handle`

A later request may read a kept future. So a future counts when it is deleted, or when no future was
ever read.
"""

from __future__ import annotations

import logging
import sys
import threading
import weakref
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass

THREAD = "a thread"
FUTURE = "a future that nothing reads"
TASK = "a task of asyncio that nothing awaits"
FINALIZER = "code that Python runs on its own"
LOG = "the log"

KEPT_FUTURES = 10
"""Number of kept futures without a read after which futures count as never read."""

_STARTED_BY = "_evosearch_started_by"
_READ = "_evosearch_read"


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
        self._crashed: list[tuple[weakref.ref[Future[Any]], BaseException]] = []
        self._futures: list[weakref.ref[Future[Any]]] = []
        self._kept = 0
        self._has_read = False

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
        """Judge the futures of a test that has ended."""
        self._futures.clear()
        crashed, self._crashed = self._crashed, []
        for reference, error in crashed:
            future = reference()
            seen = _seen(error) if future is None else vars(future)
            if seen.get(_READ):
                continue
            if future is not None:
                self._kept += 1
                if self._has_read or self._kept < KEPT_FUTURES:
                    continue
            self.note(error, FUTURE, seen.get(_STARTED_BY, ""))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listen inside the block."""
        with ExitStack() as stack:
            self._listen_to_logs(stack)
            self._listen_to_futures(stack)
            self._listen_to_tasks(stack)
            self._listen_to_finalizers(stack)
            yield

    def _listen_to_logs(self, stack: ExitStack) -> None:
        real = logging.Logger.handle
        failures = self

        def handle(self: logging.Logger, record: logging.LogRecord) -> None:
            failures._note_record(record)
            real(self, record)

        _replace(stack, logging.Logger, "handle", handle)

    def _note_record(self, record: logging.LogRecord) -> None:
        """Note the exception of a log record; asyncio's own records are those of its tasks."""
        said = record.exc_info
        error = said[1] if isinstance(said, tuple) and len(said) > 1 else None
        if record.levelno < logging.ERROR or not isinstance(error, Exception):
            return
        if record.name == "asyncio":
            self.note(error, TASK)
            return
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main and self._is_of_earlier_test():
            return
        origin = self._origin()
        self._failures.append(BackgroundFailure(error, LOG, origin, record.name, is_main))

    def _listen_to_futures(self, stack: ExitStack) -> None:
        failures = self
        klass: Any = Future
        real_set, real_submit = klass.set_exception, ThreadPoolExecutor.submit
        real_result, real_exception = klass.result, klass.exception

        def set_exception(self: Any, exception: Any) -> None:
            if isinstance(exception, Exception):
                failures._crashed.append((weakref.ref(self), exception))
                _share(exception, self)
            real_set(self, exception)

        def submit(self: Any, *arguments: Any, **keywords: Any) -> Any:
            origin = failures._origin()
            future: Any = real_submit(self, *arguments, **keywords)
            vars(future)[_STARTED_BY] = origin
            failures._futures.append(weakref.ref(future))
            return future

        def result(self: Any, *arguments: Any, **keywords: Any) -> Any:
            failures._note_reading(self)
            return real_result(self, *arguments, **keywords)

        def exception(self: Any, *arguments: Any, **keywords: Any) -> Any:
            failures._note_reading(self)
            return real_exception(self, *arguments, **keywords)

        _replace(stack, klass, "set_exception", set_exception)
        _replace(stack, ThreadPoolExecutor, "submit", submit)
        _replace(stack, klass, "result", result)
        _replace(stack, klass, "exception", exception)

    def _note_reading(self, future: Any) -> None:
        vars(future)[_READ] = True
        self._has_read = True

    def _listen_to_tasks(self, stack: ExitStack) -> None:
        loop: Any = getattr(sys.modules.get("asyncio.base_events"), "BaseEventLoop", None)
        if loop is None:
            return
        failures = self
        real = loop.default_exception_handler

        def default_exception_handler(self: Any, context: Any) -> None:
            failures.note(context.get("exception"), TASK)
            real(self, context)

        _replace(stack, loop, "default_exception_handler", default_exception_handler)

    def _listen_to_finalizers(self, stack: ExitStack) -> None:
        real = sys.unraisablehook

        def unraisablehook(unraisable: Any) -> None:
            self.note(unraisable.exc_value, FINALIZER)
            real(unraisable)

        _replace(stack, sys, "unraisablehook", unraisablehook)


def _share(error: BaseException, future: Any) -> None:
    """Keep the attributes of a future with its exception, which outlives it."""
    try:
        error._evosearch_future = vars(future)  # type: ignore[attr-defined]
    except AttributeError:  # an exception with slots
        return


def _seen(error: BaseException) -> dict[str, Any]:
    found: dict[str, Any] = getattr(error, "_evosearch_future", {_READ: True})
    return found


def _replace(stack: ExitStack, owner: Any, name: str, function: Any) -> None:
    """Replace an attribute by `function` until the stack ends."""
    real = getattr(owner, name)
    setattr(owner, name, function)

    def put_back() -> None:
        if getattr(owner, name) is function:
            setattr(owner, name, real)

    stack.callback(put_back)
