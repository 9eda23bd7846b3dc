"""Keeps the open descriptors of the process, against handlers that close them or use them up.

    begin_test  now and then, notes which descriptors are open
    begin       reserves descriptors for our own code: a call may open fewer
    put_back    reopens closed descriptors from their duplicates (`dup2`); where a call has used up
                all descriptors, closes those that it opened
    end         gives our own code the reserve

Only descriptors from before the loading of the application have duplicates. The application's own
have none: a pipe would not end when it is closed, and a database would lose its locks with the
duplicate.
Only the system knows what is open (``/proc/self/fd``, ``/dev/fd``); elsewhere nothing is kept.
"""

from __future__ import annotations

import errno
import select
import stat
from collections.abc import Callable
from collections.abc import Container
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sandbox.shared_resources import CLOSES

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

_setrlimit: Any = getattr(resource, "setrlimit", None)  # the application may not change limits

RESERVE = 64
"""Descriptors that stay free for us when a call has opened as many as it may."""

ALLOWANCE = 4096
"""Most descriptors that may be open in a call: opening a million takes a moment."""

TESTS_BETWEEN_LOOKS = 500
"""Tests between two looks at the open descriptors."""

USES_UP = "uses up all descriptors of the process"

_FOLDERS = ("/proc/self/fd", "/dev/fd")
_STANDARD = 2
"""The highest number of a standard stream, which may be a pipe."""

Report = Callable[[str], object]


class KeptDescriptors:
    """Notes which descriptors are open, and restores them."""

    def __init__(self) -> None:
        self._folder = next((one for one in _FOLDERS if Path(one).is_dir()), "")
        self._open: frozenset[int] = frozenset()
        self._files: dict[int, tuple[int, int]] = {}
        """Descriptor with a duplicate -> device and inode, which identify its file."""
        self._duplicates: dict[int, int] = {}
        self._poll: select.poll | None = None
        self._usual = (0, 0)
        self._inside: tuple[int, int] | None = None
        self._tests = 0

    @property
    def kept(self) -> Container[int]:
        """The descriptors that were open at the last look."""
        return self._open

    def begin_test(self, closely: bool = True) -> None:
        """Note which descriptors are open, now and then.

        `closely`, find those that our own code has closed or reopened: a test did not.
        """
        if self._tests % TESTS_BETWEEN_LOOKS == 0:
            self._look()
        self._tests += 1
        if closely and self._leads_elsewhere():
            for number in [one for one, file in self._files.items() if _file_of(one) != file]:
                self._forget(number)  # closed by the code that opened it

    def _leads_elsewhere(self) -> bool:
        """Say quickly whether a kept descriptor is closed or leads to another file."""
        try:
            return [*map(_marks_of, map(os.fstat, self._files))] != [*self._files.values()]
        except OSError:
            return True

    def duplicate(self) -> None:
        """Duplicate the descriptors that are open now: none of them is the application's."""
        if not self._folder or resource is None or not hasattr(select, "poll"):
            return
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        numbers = self._numbers()
        most = min(usual[0], ALLOWANCE) if usual[0] >= 0 else ALLOWANCE
        if most < 2 * len(numbers) + 4 * RESERVE:
            return  # too few to share
        self._usual, self._inside = usual, (most - RESERVE, usual[1])
        self._poll = select.poll()
        for number in numbers:
            with suppress(OSError):
                self._duplicate(number, most - RESERVE)

    def forget_tests(self) -> None:
        """Have the next test look again: this process is a fork, with pipes of its own."""
        self._tests = 0

    def _look(self) -> None:
        if self._folder:
            self._open = frozenset((*self._numbers(), *self._duplicates.values()))

    def begin(self) -> None:
        """Reserve some descriptors for our own code."""
        if self._inside is not None:
            with suppress(OSError, ValueError):
                _setrlimit(resource.RLIMIT_NOFILE, self._inside)

    def end(self) -> None:
        """Give our own code the reserve."""
        if self._inside is not None:
            with suppress(OSError, ValueError):
                _setrlimit(resource.RLIMIT_NOFILE, self._usual)

    def put_back(self, report: Report) -> None:
        """Restore what a call has closed or used up, and report it to `report`."""
        self.end()  # restoring needs the reserve
        if self._inside is None or self._poll is None:
            return
        if any(event & select.POLLNVAL for _number, event in self._poll.poll(0)):
            self.give_back(report)
        if self._is_short():
            report(USES_UP)
            self._close_the_latest()

    def give_back(self, report: Report) -> None:
        """Restore every descriptor that is closed or leads to another file."""
        if not self._leads_elsewhere():
            return
        for number, file in self._files.items():
            if _file_of(number) != file:
                report(CLOSES)
                with suppress(OSError):
                    os.dup2(self._duplicates[number], number, inheritable=False)

    def release(self) -> None:
        """Close the duplicates."""
        for number in self._duplicates.values():
            with suppress(OSError):
                os.close(number)
        self._files, self._duplicates, self._open = {}, {}, frozenset()
        self._poll = self._inside = None

    def _numbers(self) -> list[int]:
        """Return the open descriptors, without the one that reads their folder."""
        found = [int(name) for name in os.listdir(self._folder)]
        return sorted(number for number in found if _file_of(number) is not None)

    def _duplicate(self, number: int, lowest: int) -> None:
        file = _file_of(number)
        assert self._poll is not None
        if file is None or (number > _STANDARD and _is_stream(number)):
            return
        copy = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, lowest)
        self._files[number], self._duplicates[number] = file, copy
        self._poll.register(number, 0)
        self._poll.register(copy, 0)

    def _forget(self, number: int) -> None:
        assert self._poll is not None
        copy = self._duplicates.pop(number)
        self._files.pop(number)
        self._poll.unregister(number)
        self._poll.unregister(copy)
        with suppress(OSError):
            os.close(copy)

    def _is_short(self) -> bool:
        """Say whether a call has opened nearly all that it may, by the lowest free number."""
        assert self._inside is not None
        try:
            lowest = os.dup(2)
        except OSError as error:
            return error.errno == errno.EMFILE
        os.close(lowest)
        return lowest > self._inside[0] - RESERVE

    def _close_the_latest(self) -> None:
        """Close what was opened since the last look, except low numbers, which belong to pools."""
        gc.collect()
        if not self._is_short():
            return
        later = [number for number in self._numbers() if number not in self._open]
        for number in later[RESERVE:]:
            with suppress(OSError):
                os.close(number)


_marks_of: Callable[[os.stat_result], tuple[int, int]] = attrgetter("st_dev", "st_ino")
"""Returns device and inode, which identify a file."""


def _file_of(number: int) -> tuple[int, int] | None:
    """Return device and inode of a descriptor's file, None where the descriptor is closed."""
    try:
        return _marks_of(os.fstat(number))
    except OSError:
        return None


def _is_stream(number: int) -> bool:
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
