"""Prevents an application from ending the search, or a process that it has not started.

A route that shuts a server down (``os.kill(os.getpid(), signal.SIGINT)``) or restarts it
(``os.execv``) would end the search without results. ``POST /processes/4711/stop`` would end
whatever runs under that number on the developer's machine.

    ends the process at once        `ProcessEnd` in its place: `os._exit`, `os.abort`, ``exec``,
                                    SIGKILL to oneself
    a signal to oneself             nothing happens, as in a server that goes on until its main
                                    thread has time; where the application handles the signal,
                                    it is sent
    a signal to a descendant        is sent: a process that the application has started
    a signal to any other process   ``ProcessLookupError``
    one process too many            `BlockingIOError`
    an alarm without a handler      is not set; the alarm of our own time limit stays
    a timer of `faulthandler`       is not set; what notes that this process crashes stays

The functions are replaced before modules of the application are imported, because those keep what
they import by name. The replacements refuse nothing before `refused`. A forked process may end
itself. Code that calls the C library itself escapes.
"""

from __future__ import annotations

import _thread
import errno
import faulthandler as application_faulthandler
import os as application_os
import signal
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from typing import Any
from typing import NoReturn

from pytest_evosearch.core.isolation import faulthandler
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.child_processes import ForkedChildren

KILLED = 128
"""Added to the number of a signal: a shell's exit code for a killed process."""

_OWN_CHILDREN_ONLY = ("asyncio", "concurrent.futures", "multiprocessing", "subprocess")
"""Modules that only send signals to processes that they have started."""

_MOST_GENERATIONS = 100

Handlers = Sequence[tuple[int, Any]]


class ProcessEnd(SystemExit):
    """Raised where the process would have ended; like that end, it runs no further handler."""


class ProcessEnds:
    """The replacements, and the calls that were refused."""

    def __init__(self) -> None:
        self.refusals: dict[str, int] = {}
        """Attempts to affect other processes -> how many times."""
        self.children = ForkedChildren()
        self._report: Callable[[str], None] | None = None
        self._process = 0
        self._ours: dict[int, Any] = {}
        self._real: dict[tuple[Any, str], Any] = {}

    @contextmanager
    def refused(self, report: Callable[[str], None], ours: Handlers = ()) -> Iterator[None]:
        """Refuse inside the block; `report` receives what would have happened to this process.

        `ours` are signal handlers that do not belong to the application.
        """
        self._process, self._ours, self._report = os.getpid(), dict(ours), report
        faulthandler.cancel_dump_traceback_later()  # the application set it at import
        try:
            yield
        finally:
            self._report = None

    def follow(self) -> None:
        """Protect this process instead: a fork of ours, which runs the application."""
        self._process = os.getpid()

    def put_in_place(self) -> None:
        """Replace the functions."""
        self.children.install()
        for module, name, stand_in in self._stand_ins():
            if hasattr(module, name):
                self._real[module, name] = getattr(module, name)
                setattr(module, name, stand_in)

    def take_away(self) -> None:
        """Restore the real functions."""
        self.children.remove()
        for (module, name), real in self._real.items():
            setattr(module, name, real)

    def _stand_ins(self) -> Sequence[tuple[Any, str, Callable[..., Any]]]:
        return (
            (application_os, "fork", self.fork),
            (application_os, "forkpty", self.forkpty),
            (application_os, "_exit", self.exit_at_once),
            (application_os, "abort", self.abort),
            (application_os, "execv", self.execv),
            (application_os, "execve", self.execve),
            (application_os, "kill", self.kill),
            (application_os, "killpg", self.killpg),
            (signal, "raise_signal", self.raise_signal),
            (signal, "pthread_kill", self.pthread_kill),
            (signal, "alarm", self.alarm),
            (signal, "setitimer", self.setitimer),
            (_thread, "interrupt_main", self.interrupt_main),
            (application_faulthandler, "dump_traceback_later", self.dump_traceback_later),
            (application_faulthandler, "enable", self.enable_fault_handler),
            (application_faulthandler, "disable", self.disable_fault_handler),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a replacement as the real function, for another interpreter."""
        return __import__, ("os",)

    @property
    def _is_ours_to_end(self) -> bool:
        """Say whether this is the process that must not end."""
        return self._report is not None and os.getpid() == self._process

    def fork(self) -> int:
        """Replace `os.fork`, also in forked processes."""
        self._permit_process()
        return os.fork()

    def forkpty(self) -> tuple[int, int]:
        """Replace `os.forkpty`, which `pty.fork` calls."""
        self._permit_process()
        return os.forkpty()

    def _permit_process(self) -> None:
        """Refuse one process too many with the system's own error."""
        if self._report is not None and self.children.refuses():
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def exit_at_once(self, status: int) -> NoReturn:
        """Replace `os._exit`."""
        if self._is_ours_to_end:
            self._end("ends the process", status)
        os._exit(status)

    def abort(self) -> NoReturn:
        """Replace `os.abort`."""
        if self._is_ours_to_end:
            self._end("ends the process", KILLED + signal.SIGABRT)
        os.abort()

    def execv(self, path: Any, arguments: Any) -> NoReturn:
        """Replace `os.execv`, which most other ``exec`` functions call."""
        if self._is_ours_to_end:
            self._end("replaces the process by another program", 0)
        os.execv(path, arguments)

    def execve(self, path: Any, arguments: Any, environment: Any) -> NoReturn:
        """Replace `os.execve`, which the remaining ``exec`` functions call."""
        if self._is_ours_to_end:
            self._end("replaces the process by another program", 0)
        os.execve(path, arguments, environment)

    def raise_signal(self, number: int) -> None:
        """Replace `signal.raise_signal`."""
        if self._is_ours_to_end and not self._is_harmless(number):
            self._endure(number)
        else:
            self._real[signal, "raise_signal"](number)

    def alarm(self, seconds: int, /) -> int:
        """Replace `signal.alarm`."""
        if self._is_our_alarm():
            self._note_alarm(seconds)
            return 0
        found: int = self._real[signal, "alarm"](seconds)
        return found

    def setitimer(self, which: int, seconds: float, *interval: float) -> tuple[float, float]:
        """Replace `signal.setitimer`."""
        if which == signal.ITIMER_REAL and self._is_our_alarm():
            self._note_alarm(seconds)
            return 0.0, 0.0
        found: tuple[float, float] = self._real[signal, "setitimer"](which, seconds, *interval)
        return found

    def _is_our_alarm(self) -> bool:
        """Say whether the application would set the alarm of our own time limit."""
        return self._is_ours_to_end and not self._is_harmless(signal.SIGALRM)

    def _note_alarm(self, seconds: float) -> None:
        if seconds and self._report is not None:
            self._report("sets an alarm that ends the process")

    def dump_traceback_later(
        self,
        timeout: float,
        repeat: bool = False,
        file: Any = None,
        exit: bool = False,  # noqa: A002
    ) -> None:
        """Replace `faulthandler.dump_traceback_later`, which can end the process."""
        if self._report is None or not self._is_ours_to_end:
            faulthandler.dump_traceback_later(timeout, repeat, file, exit)
            return
        faulthandler.dump_traceback_later(timeout, repeat, file)  # raises for invalid arguments
        faulthandler.cancel_dump_traceback_later()
        if exit:
            self._report("sets a timer that ends the process")

    def enable_fault_handler(self, file: Any = None, *choice: Any, **choices: Any) -> None:
        """Replace `faulthandler.enable`: our own handler notes how a process died."""
        if not self._is_ours_to_end:
            faulthandler.enable(file, *choice, **choices)
        elif file is not None and not isinstance(file, int):
            file.fileno()  # raises for an object that is no file

    def disable_fault_handler(self) -> bool:
        """Replace `faulthandler.disable`."""
        if self._is_ours_to_end:
            return faulthandler.is_enabled()
        was_enabled = faulthandler.is_enabled()
        faulthandler.disable()
        return was_enabled

    def interrupt_main(self, number: int = signal.SIGINT, /) -> None:
        """Replace `_thread.interrupt_main`."""
        if self._is_ours_to_end and not self._is_harmless(number):
            self._endure(number)
        else:
            self._real[_thread, "interrupt_main"](number)

    def pthread_kill(self, thread: int, number: int) -> None:
        """Replace `signal.pthread_kill`: its signal affects the whole process."""
        if self._is_ours_to_end and not self._is_harmless(number):
            self._endure(number)
        else:
            self._real[signal, "pthread_kill"](thread, number)

    def kill(self, process: int, number: int) -> None:
        """Replace `os.kill`; numbers below one are process groups."""
        if not self._is_refused(process, number):
            os.kill(process, number)
        elif process < -1:
            self.killpg(-process, number)
        elif process in (-1, 0, os.getpid()):
            self._endure(number)
        else:
            self._spare(process, number)

    def killpg(self, group: int, number: int) -> None:
        """Replace `os.killpg`."""
        if not self._is_refused(group, number):
            os.killpg(group, number)
        elif group in (0, os.getpgrp()):
            self._endure(number)
        else:
            self._spare(group, number)

    def _is_refused(self, process: int, number: int) -> bool:
        """Say whether a signal must not be sent to a process, or a group."""
        if self._report is None or not isinstance(process, int) or not number:
            return False  # the real function raises for an invalid number
        if process == os.getpid():
            return os.getpid() == self._process and not self._is_harmless(number)
        caller = sys._getframe(2).f_globals.get("__name__") or ""
        return not (caller.startswith(_OWN_CHILDREN_ONLY) or is_descendant(process))

    def _is_harmless(self, number: int) -> bool:
        """Say whether a signal is ignored, or handled by the application itself."""
        try:
            handler = signal.getsignal(number)
        except (TypeError, ValueError):
            return True  # the real function raises
        if handler is signal.SIG_DFL or handler is None:
            return number in {
                getattr(signal, name, 0) for name in ("SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH")
            }
        if handler is signal.SIG_IGN:
            return True
        return handler is not signal.default_int_handler and handler != self._ours.get(number)

    def _endure(self, number: int) -> None:
        """Ignore a signal to this process."""
        phrase = f"sends {_name_of(number)} to the process that runs it"
        if number == getattr(signal, "SIGKILL", 0):
            self._end(phrase, KILLED + number)
        assert self._report is not None
        self._report(phrase)

    def _spare(self, process: int, number: int) -> NoReturn:
        """Raise as if there were no such process."""
        attempt = f"send {_name_of(number)} to a process that it did not start"
        self.refusals[attempt] = self.refusals.get(attempt, 0) + 1
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH), process)

    def _end(self, phrase: str, status: int) -> NoReturn:
        assert self._report is not None
        self._report(phrase)
        raise ProcessEnd(status)


@contextmanager
def installed_ends() -> Iterator[ProcessEnds]:
    """Install the replacements, unless they are installed; they refuse nothing yet."""
    active = getattr(application_os.kill, "__self__", None)
    if isinstance(active, ProcessEnds):
        yield active
        return
    ends = ProcessEnds()
    ends.put_in_place()
    try:
        yield ends
    finally:
        ends.take_away()


def is_descendant(process: int) -> bool:
    """Say whether this process, or one of its descendants, started a process.

    Where the system does not list parents (``/proc``), the result is False.
    """
    for _ in range(_MOST_GENERATIONS):
        process = _parent_of(process)
        if process <= 1:
            break
        if process == os.getpid():
            return True
    return False


def _parent_of(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        file = os.open(f"/proc/{process}/stat", os.O_RDONLY)
        try:
            text = os.read(file, 4096).decode("utf-8", "replace")
        finally:
            os.close(file)
        # The name of the program, in parentheses, may contain any character.
        return int(text.rpartition(")")[2].split()[1])
    return 0


def _name_of(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
