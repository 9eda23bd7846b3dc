"""State of the process that handlers can change and that every later test shares.

Each piece is read and written by two functions, and compared after each call: a handler that sets a
umask, a trace function or a limit would affect all later handlers. A look costs two or three
microseconds: values are compared in C, and attributes of one module are read together. Our own code
between calls depends on most pieces. The others are compared after each test: the later calls of a
test find what an earlier one has set, as they do in a written test.

    pieces of the process    umask, limits, trace and profile functions, signal handlers, timers ...
    pieces of modules        what libraries keep for everybody: the default timeout of sockets,
                             the temporary folder, filters of warnings, the level below which
                             nothing is logged ...

A change of a piece with a phrase is reported: a written test with this change would affect other
tests.
"""

from __future__ import annotations

import locale
import logging
import signal
import socket
import sys
import tempfile
import threading
import time as application_time
import warnings
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.shared_resources import limit_numbers
from pytest_evosearch.sut.watching.issued_warnings import set_warning_filters
from pytest_evosearch.sut.watching.issued_warnings import warning_filters

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

SHARED_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
"""Ctrl-C, polite requests to end, and the alarm of the time limit: every test depends on them."""

DEADLY_SIGNALS = ("SIGUSR1", "SIGUSR2", "SIGPROF", "SIGVTALRM", "SIGIO", "SIGPWR", "SIGXCPU")
"""Signals that end a process without a handler, and that only its own code causes.

Causes are timers, `signal.raise_signal`, and the system when a limit is exceeded.
"""

_LAST_CLASSIC_SIGNAL = 31
"""The highest classic signal; real-time signals have higher numbers."""

_SAFEST_MASK = 0o077
"""Set for a moment: a umask can only be read by setting another one."""

_USUAL_RECURSIONS = 1000

_c_signal: Any = sys.modules.get("_signal", signal)
"""The functions in C: conversion to enumerations would make a call fifty times as slow.

`inspect.unwrap` does not lead there: `signal.getsignal` has no ``__wrapped__``.
"""

# The application may replace these functions.
_settrace, _gettrace = sys.settrace, sys.gettrace
_setprofile, _getprofile = sys.setprofile, sys.getprofile


class Piece(NamedTuple):
    """One piece of state."""

    read: Callable[[], Any]
    write: Callable[[Any], object]
    phrase: str = ""
    """What a handler does that changes this piece; empty where other tests do not notice."""
    place: tuple[dict[str, Any], str] | None = None
    """Namespace and name of an attribute."""
    waits: bool = False
    """Whether a look at the end of a test is early enough: our own code does not depend on it."""


class Glance:
    """Says quickly whether pieces have their known values."""

    def __init__(self, pieces: Iterable[tuple[Piece, Any]]) -> None:
        self._looks: list[Callable[[], Any]] = []
        self._known: list[Any] = []
        attributes: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        for piece, value in pieces:
            space, name = piece.place or ({}, "")
            if name in space:
                attributes.setdefault(id(space), (space, {}))[1][name] = value
            else:
                self._add(piece.read, value)
        for space, known in attributes.values():
            take = itemgetter(*known)
            self._add(partial(take, space), take(known))

    def _add(self, look: Callable[[], Any], known: Any) -> None:
        self._looks.append(look)
        self._known.append(known)

    def sees_a_change(self) -> bool:
        """Say whether any piece has another value than the known one."""
        # An attribute may be missing, and a value of the application may refuse to be compared.
        try:
            return [look() for look in self._looks] != self._known
        except Exception:
            return True


class ProcessState:
    """Notes the values of all pieces, and restores those that change."""

    def __init__(self) -> None:
        self._pieces = tuple(_pieces())
        self._readers = tuple(piece.read for piece in self._pieces)
        self.remember()

    def remembered(self) -> Sequence[Any]:
        """Return the noted values, which `remember` accepts."""
        return self._known

    def remember(self, known: Sequence[Any] | None = None) -> None:
        """Note the present values, or those given, as the state to restore."""
        self._known = self._present() if known is None else list(known)
        pairs = list(zip(self._pieces, self._known, strict=True))
        self._after_calls = Glance(pair for pair in pairs if not pair[0].waits)
        self._after_tests = Glance(pair for pair in pairs if pair[0].waits)

    def restore(self, after_test: bool = True) -> tuple[str, ...]:
        """Restore changed pieces; return their phrases, empty ones where nothing is to report.

        Without `after_test`, check only pieces that our own code depends on.
        """
        if not self._after_calls.sees_a_change() and not (
            after_test and self._after_tests.sees_a_change()
        ):
            return ()
        return tuple(self._put_back(self._present()))

    def _present(self) -> list[Any]:
        return [read() for read in self._readers]

    def _put_back(self, present: Sequence[Any]) -> Iterator[str]:
        for piece, value, known in zip(self._pieces, present, self._known, strict=True):
            if not _is_same(value, known):
                with suppress(Exception):  # the system may refuse to return what was given up
                    piece.write(known)
                yield piece.phrase


def _is_same(value: Any, known: Any) -> bool:
    if value is known:
        return True
    try:
        return type(value) is type(known) and bool(value == known)
    except Exception:
        return False


def _pieces() -> Iterator[Piece]:
    yield from _pieces_of_the_interpreter()
    yield from _pieces_of_the_system()
    yield from _pieces_of_modules()


def _pieces_of_the_interpreter() -> Iterator[Piece]:
    traced = "installs a trace or profile function"
    yield Piece(_gettrace, _settrace, traced)
    yield Piece(_getprofile, _setprofile, traced)
    yield _attribute(threading, "_trace_hook", traced)
    yield _attribute(threading, "_profile_hook", traced)
    if sys.version_info >= (3, 12):
        yield Piece(_monitoring_tools, _set_monitoring_tools, traced)
    yield Piece(_is_shallow, lambda _known: None, "lowers the limit of recursions")
    yield Piece(sys.getrecursionlimit, sys.setrecursionlimit)
    yield Piece(sys.getswitchinterval, sys.setswitchinterval)
    if hasattr(sys, "get_int_max_str_digits"):
        yield Piece(sys.get_int_max_str_digits, sys.set_int_max_str_digits)
    hooked = "replaces a hook for uncaught exceptions"  # pytest has its own
    yield _attribute(sys, "excepthook", hooked)
    yield _attribute(sys, "unraisablehook", hooked)
    yield _attribute(threading, "excepthook", hooked)
    for name in ("displayhook", "breakpointhook"):
        yield _attribute(sys, name)
    yield Piece(gc.isenabled, lambda wanted: gc.enable() if wanted else gc.disable())
    yield Piece(gc.get_threshold, lambda known: gc.set_threshold(*known))
    yield Piece(gc.get_debug, gc.set_debug)


def _pieces_of_the_system() -> Iterator[Piece]:
    yield Piece(_umask, os.umask, "changes the umask")
    if resource is not None:
        yield Piece(_limits, _set_limits, "changes the limits of the process", waits=True)
    if threading.current_thread() is not threading.main_thread():
        return
    taken = "takes over a signal"
    for numbers, phrase in ((_SHARED_SIGNALS, taken), (_OTHER_SIGNALS, "")):
        read, write = partial(_handlers, numbers), partial(_set_handlers, numbers)
        yield Piece(read, write, phrase, waits=not phrase)
    if hasattr(signal, "pthread_sigmask"):
        yield Piece(_blocked_signals, _block_signals, taken)
    if hasattr(signal, "setitimer"):
        yield Piece(_running_timers, _stop_timers, taken)


def _pieces_of_modules() -> Iterator[Piece]:
    yield Piece(socket.getdefaulttimeout, socket.setdefaulttimeout, waits=True)
    yield _attribute(tempfile, "tempdir", "changes the temporary folder")
    yield Piece(lambda: logging.root.manager.disable, logging.disable)
    yield _attribute(logging, "raiseExceptions")
    yield Piece(warning_filters, set_warning_filters, waits=True)
    yield _attribute(warnings, "showwarning")
    if hasattr(os, "sched_getaffinity"):
        yield Piece(
            lambda: os.sched_getaffinity(0),
            lambda known: os.sched_setaffinity(0, known),
            waits=True,
        )
    yield Piece(lambda: locale.setlocale(locale.LC_ALL), _set_locale, waits=True)
    if hasattr(application_time, "tzset"):
        set_zone: Callable[[Any], object] = lambda _known: application_time.tzset()  # noqa: E731
        yield Piece(lambda: application_time.tzname, set_zone, waits=True)
    yield Piece(_processes_folder, _set_processes_folder, waits=True)
    if "decimal" in sys.modules:
        import decimal

        yield Piece(
            lambda: (decimal.DefaultContext.prec, decimal.DefaultContext.rounding),
            _set_decimal_defaults,
            waits=True,
        )


def _processes_folder() -> str | None:
    """Return the folder of `multiprocessing` for sockets; a test's files are removed."""
    module = sys.modules.get("multiprocessing.process")
    return module.current_process()._config.get("tempdir") if module is not None else None


def _set_processes_folder(known: str | None) -> None:
    sys.modules["multiprocessing.process"].current_process()._config["tempdir"] = known


def _attribute(owner: Any, name: str, phrase: str = "") -> Piece:
    """Return the piece for an attribute; a missing attribute is set again."""
    attributes = vars(owner)
    return Piece(
        lambda: attributes.get(name),
        lambda value: setattr(owner, name, value),
        phrase,
        place=(attributes, name),
    )


def _monitoring_tools() -> tuple[str | None, ...]:
    return tuple([sys.monitoring.get_tool(number) for number in range(6)])  # type: ignore[attr-defined]


def _set_monitoring_tools(known: Sequence[str | None]) -> None:
    """Remove new tools; a lost tool has missed events, which cannot be restored."""
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    for number, (present, name) in enumerate(zip(_monitoring_tools(), known, strict=True)):
        if present is not None and name is None:
            monitoring.set_events(number, 0)
            monitoring.free_tool_id(number)


def _is_shallow() -> bool:
    """Say whether the recursion limit is below Python's default; a higher limit does no harm."""
    return sys.getrecursionlimit() < _USUAL_RECURSIONS


def _umask() -> int:
    mask = os.umask(_SAFEST_MASK)
    os.umask(mask)
    return mask


_LIMIT_NUMBERS = limit_numbers()


def _limits() -> tuple[tuple[int, int], ...]:
    return tuple([resource.getrlimit(number) for number in _LIMIT_NUMBERS])


def _set_limits(known: Sequence[tuple[int, int]]) -> None:
    for number, limits in zip(_LIMIT_NUMBERS, known, strict=True):
        if resource.getrlimit(number) != limits:
            try:
                resource.setrlimit(number, limits)
            except (OSError, ValueError):  # only the system's administrator may raise a hard limit
                hard = resource.getrlimit(number)[1]
                resource.setrlimit(number, (hard, hard))


_SHARED_SIGNALS = tuple(
    int(getattr(signal, name)) for name in SHARED_SIGNALS if hasattr(signal, name)
)
_OTHER_SIGNALS = tuple(
    int(one)
    for one in sorted(signal.valid_signals())
    if one <= _LAST_CLASSIC_SIGNAL and one not in _SHARED_SIGNALS
)


def _handlers(numbers: Sequence[int]) -> list[Any]:
    present = _c_signal.getsignal
    return [present(number) for number in numbers]


def _set_handlers(numbers: Sequence[int], known: Sequence[Any]) -> None:
    for number, present, handler in zip(numbers, _handlers(numbers), known, strict=True):
        # None stands for a handler that Python did not set, which cannot be restored.
        if present is not handler and handler is not None:
            signal.signal(number, handler)


def shared_signal_handlers() -> list[tuple[int, Any]]:
    """Return the handlers that can be restored: those that Python set, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return []
    handlers = zip(_SHARED_SIGNALS, _handlers(_SHARED_SIGNALS), strict=True)
    return [(number, handler) for number, handler in handlers if handler is not None]


def unhandled_signals() -> list[int]:
    """Return the deadly signals without a handler; none outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return []
    numbers = (int(getattr(signal, name)) for name in DEADLY_SIGNALS if hasattr(signal, name))
    return [one for one in numbers if signal.getsignal(one) is signal.SIG_DFL]


def _blocked_signals() -> set[int]:
    blocked: set[int] = _c_signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return blocked


def _block_signals(known: set[int]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, known)


def _running_timers() -> tuple[bool, bool]:
    look = signal.getitimer
    return look(signal.ITIMER_VIRTUAL)[0] > 0, look(signal.ITIMER_PROF)[0] > 0


def _stop_timers(known: tuple[bool, bool]) -> None:
    """Stop timers that were not running: their signals would end the process."""
    timers = (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    for timer, was_running in zip(timers, known, strict=True):
        if not was_running:
            signal.setitimer(timer, 0)


def _set_locale(known: str) -> None:
    locale.setlocale(locale.LC_ALL, known)


def _set_decimal_defaults(known: tuple[int, str]) -> None:
    import decimal

    decimal.DefaultContext.prec, decimal.DefaultContext.rounding = known
