"""Lets a call that asks for too much memory fail before the whole machine does.

``list(range(page))`` takes 8 GB for a page of 2**30, well within the time limit of a call.  Where
there are not as many, the kernel ends the process, and with it all that a search has found.
Below a limit the allocation fails in the application, as it does wherever memory is short: with
a `MemoryError`, at the line that asked for it.

The limit is RLIMIT_DATA: what the process has, and `ALLOWANCE`.  Where nobody says how much that is
(there is no ``/proc``), there is none.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.isolation import os

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

ALLOWANCE = 2**30
"""Bytes that a test may take beside what the process had before it."""

TESTS_BETWEEN_LOOKS = 500
"""Tests until the process is measured again: it grows slowly, and looking takes 20 microseconds."""

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
        self._tests = 0
        self._limit: int | None = None

    def begin(self) -> None:
        """Take effect, as far as this platform lets it."""
        if self._tests % TESTS_BETWEEN_LOOKS == 0:
            self._limit = self._sensible_limit()
        self._tests += 1
        self._set(self._limit)

    def end(self) -> None:
        """Allow again what was allowed before."""
        if self._usual is not None and self._limit is not None:
            self._set(self._usual[0])

    def _sensible_limit(self) -> int | None:
        """Return the limit in bytes; None where there is one already that is no higher."""
        if self._usual is None:
            return None
        try:
            pages = int(_STATISTICS.read_text().split()[_DATA])
        except (OSError, ValueError, IndexError):
            return None
        limit = pages * os.sysconf("SC_PAGE_SIZE") + self._allowance
        lowest = min((one for one in self._usual if one != resource.RLIM_INFINITY), default=limit)
        return limit if limit <= lowest else None

    def _set(self, limit: int | None) -> None:
        if self._usual is not None and limit is not None:
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_DATA, (limit, self._usual[1]))
