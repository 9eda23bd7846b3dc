"""Limits on processes and memory of a run, enforced by another process (`sut.sandbox.warden`)."""

from __future__ import annotations

import mmap
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.sandbox import warden
from pytest_evosearch.sut.sandbox.hang import Deadline
from pytest_evosearch.sut.sandbox.warden import LAYOUT
from pytest_evosearch.sut.sandbox.warden import TOO_LARGE
from pytest_evosearch.sut.sandbox.warden import TOO_MANY

EXCESSES = {
    TOO_MANY: "the call starts processes without end",
    TOO_LARGE: "the processes that the call starts take memory without end",
}
"""Excess of a call that was stopped -> its description in a fault."""

PARTING_SECONDS = 2.0
BEGINNING_SECONDS = 5.0
"""Seconds for an interpreter to start: usually 0.02, longer on a busy machine."""

_INSTALLED = Path(__file__).parents[3]
_BEGINNING = f"""
import sys
sys.path.insert(0, sys.argv[1])
from {warden.__name__} import main
main(*sys.argv[2:])
"""


class Ceiling:
    """The limits of one run, and the call that exceeds them."""

    def __init__(self, most: int, memory: float) -> None:
        self.most = most
        self._memory = memory
        """Share of the available memory; 0 for no limit."""
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self._server = 0
        self._patience = 0.0
        """Seconds for which a call may ignore alarms; 0 for no limit."""
        self.process = 0
        """Process number of the warden; 0 without one."""

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Enforce the limits inside the block, where the system lists processes."""
        if sys.platform != "linux" or not self.most:
            yield
            return
        file = os.memfd_create("evosearch")
        try:
            os.ftruncate(file, mmap.PAGESIZE)
            self._page = mmap.mmap(file, mmap.PAGESIZE)
            watching = self._start(file)
        finally:
            os.close(file)
        try:
            yield
        finally:
            self.process = 0
            watching.kill()
            with suppress(subprocess.TimeoutExpired):
                watching.wait(PARTING_SECONDS)

    def _start(self, file: int) -> subprocess.Popen[bytes]:
        limits = [str(self.most), repr(self._memory)]
        given = [str(os.getpid()), str(file), *limits]
        watching = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _BEGINNING, str(_INSTALLED), *given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(file,),
            start_new_session=True,
        )
        self.process = watching.pid
        end = time.monotonic() + BEGINNING_SECONDS
        while not self._page[warden.AT_READY] and time.monotonic() < end:
            time.sleep(0.001)
        return watching

    def spare(self, server: int) -> None:
        """Never end the fork server."""
        self._server = server
        LAYOUT.pack_into(self._page, 0, 0, 0, server)

    def expect_progress(self, patience: float) -> None:
        """Have a call stopped that reacts to no alarm for this many seconds beyond its limit."""
        self._patience = patience

    def begin(self, seconds: float = 0.0) -> None:
        """Begin a call that this process executes, with an alarm after `seconds`."""
        LAYOUT.pack_into(self._page, 0, os.getpid(), 0, self._server)
        if self._patience and seconds:
            self._expect_within(seconds)

    def note_progress(self) -> None:
        """Note that an alarm has reached the call, and that another one may follow."""
        if self._patience:
            self._expect_within(0.0)

    def _expect_within(self, seconds: float) -> None:
        moment = time.monotonic() + seconds + self._patience
        Deadline(self._page).set(os.getpid(), moment)

    def end(self) -> None:
        """End the call; its excess stays known."""
        if self._patience:
            Deadline(self._page).lift()
        _executing, verdict, server = LAYOUT.unpack_from(self._page)
        LAYOUT.pack_into(self._page, 0, 0, verdict, server)

    @property
    def excess(self) -> str:
        """Return what the last call exceeds; empty for nothing."""
        return EXCESSES.get(LAYOUT.unpack_from(self._page)[1], "")
