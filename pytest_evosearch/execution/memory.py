"""Lets a call that asks for too much memory fail before the whole machine does.

``list(range(page))`` takes 8 GB for a page of 2**30, well within the time limit of a call.  Where
there are not as many, the kernel ends the process, and with it all that a search has found.
Below a limit the allocation fails in the application, as it does wherever memory is short: with
a `MemoryError`, at the line that asked for it.

What fills the memory in small pieces leaves nothing for what comes after it either.  So a reserve
is kept, and freed at the end of a call: where the user's own limit is met (``ulimit -v``), it is
all that is left.

The limit is RLIMIT_DATA: what the process has, and `ALLOWANCE`.  Where the system does
not say how much that is (there is no ``/proc``), there is no limit.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_setrlimit: Any = getattr(resource, "setrlimit", None)  # the application may not change limits

ALLOWANCE = 2**30
"""Bytes that a test may take beside what the process had before it."""

CALLS_BETWEEN_LOOKS = 500
"""Calls until the process is measured again: it grows slowly, and looking takes 20 microseconds."""

RESERVE = 8 * 2**20
"""Bytes that are freed when a call has taken all memory; they are never touched."""

_STATISTICS = Path("/proc/self/statm")
_DATA = 5
"""Column of the pages of data and stacks, which is what the limit is compared with."""


class MemoryLimit:
    """Limits what the process may take between `begin` and `end`."""

    def __init__(self, allowance: int = ALLOWANCE) -> None:
        self._allowance = allowance
        self._usual: tuple[int, int] | None = None
        if resource is not None:
            self._usual = resource.getrlimit(resource.RLIMIT_DATA)
        self._calls = 0
        self._limit: tuple[int, int] | None = None
        self._reserve: bytearray | None = None

    def begin(self) -> None:
        """Take effect, as far as this platform lets it."""
        if self._calls % CALLS_BETWEEN_LOOKS == 0:
            self._limit = self._sensible_limit()
        self._calls += 1
        if self._reserve is None:
            self._reserve = bytearray(RESERVE)
        self._set(self._limit)

    def end(self) -> None:
        """Allow again what was allowed before; this asks for no memory."""
        if self._limit is not None:
            self._set(self._usual)

    def free_reserve(self) -> None:
        """Give back what was reserved, until the next call."""
        self._reserve = None

    def _sensible_limit(self) -> tuple[int, int] | None:
        """Return the limit in bytes, with the hard one; None where another is no higher."""
        if self._usual is None:
            return None
        try:
            pages = int(_STATISTICS.read_text().split()[_DATA])
        except (OSError, ValueError, IndexError):
            return None
        limit = pages * os.sysconf("SC_PAGE_SIZE") + self._allowance
        lowest = min((one for one in self._usual if one != resource.RLIM_INFINITY), default=limit)
        return (limit, self._usual[1]) if limit <= lowest else None

    @staticmethod
    def _set(limit: tuple[int, int] | None) -> None:
        if limit is not None:
            with suppress(OSError, ValueError):
                _setrlimit(resource.RLIMIT_DATA, limit)
