"""Detects a call that hangs in C, where no alarm reaches it, and has it ended.

    the run       writes to a page the moment by which an alarm must arrive (`Deadline`), and a
                  later one as long as alarms reach it
    the warden    checks the page: once the moment is past, the run has worked in C for a while, or
                  has waited in C all the time; then the warden sends `SIGNAL`

On a busy machine a process may get no processor time, which is no hang. A process that was stopped
(Ctrl-Z) will continue.

Only the standard library is imported, so that the warden starts quickly.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

SIGNAL = signal.SIGRTMAX - 3 if sys.platform == "linux" else 0
"""The signal to restart (`sut.sandbox.fresh_start`)."""

AT_DEADLINE = 64
"""Offset of the deadline in the page."""

BUSY_SECONDS = 1.0
"""Processor seconds beyond the deadline without a step of the interpreter."""

WAITING_SECONDS = 2.0
"""Seconds beyond the deadline that the run spends waiting in C."""

_DEADLINE = struct.Struct("=qd")
"""Process of the call, and the moment; 0 without a call."""


class Deadline:
    """The time by which an alarm must have reached the running call."""

    def __init__(self, page: mmap.mmap) -> None:
        self._page = page

    def set(self, process: int, moment: float) -> None:
        """Expect `process` to react by `moment`."""
        _DEADLINE.pack_into(self._page, AT_DEADLINE, process, moment)

    def lift(self) -> None:
        """Expect nothing: the call has returned."""
        _DEADLINE.pack_into(self._page, AT_DEADLINE, 0, 0.0)

    def missed_by(self, process: int) -> float:
        """Return the moment that `process` has missed; 0 when it has not."""
        executing, moment = _DEADLINE.unpack_from(self._page, AT_DEADLINE)
        return moment if executing == process and 0 < moment < time.monotonic() else 0.0


class HangWatch:
    """Checks whether the run hangs in C."""

    def __init__(self, run: int, page: mmap.mmap) -> None:
        self._run = run
        self._deadline = Deadline(page)
        self._missed = 0.0
        self._busy = 0.0
        self._waits_since = 0.0

    def look(self) -> None:
        """Restart the run when it hangs."""
        missed = self._deadline.missed_by(self._run)
        state, busy = _state_of(self._run) if missed else ("", 0.0)
        if not missed or missed != self._missed or state not in "SD":
            self._waits_since = time.monotonic()
        if missed != self._missed:
            self._missed, self._busy = missed, busy
        if missed and self._hangs(busy):
            with suppress(OSError):
                os.kill(self._run, SIGNAL)  # the first thread receives it
            self._deadline.lift()

    def _hangs(self, busy: float) -> bool:
        waits = time.monotonic() - self._waits_since
        return busy - self._busy > BUSY_SECONDS or waits > WAITING_SECONDS


def _state_of(process: int) -> tuple[str, float]:
    """Return the state of the first thread, and its processor seconds."""
    with suppress(OSError, ValueError, IndexError):
        path = Path(f"/proc/{process}/task/{process}/stat")
        columns = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        ticks = int(columns[11]) + int(columns[12])
        return columns[0], ticks / os.sysconf("SC_CLK_TCK")
    return "", 0.0
