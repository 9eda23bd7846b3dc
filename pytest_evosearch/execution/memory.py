"""Lets a call that asks for too much memory fail before the machine runs out of it.

``list(range(page))`` takes 8 GB for a page of 2**30, well within the time limit of a call. Where
memory is short, the kernel ends the process, and all results of the search are lost. With a limit,
the allocation fails in the application as on any small machine: with a `MemoryError` at the line
that asked for the memory.

Code that fills memory in small pieces leaves none for the code after it. So a reserve is kept, and
freed at the end of a call. Under a limit of the user's own (``ulimit -v``), this reserve is all
that remains.

The limit is RLIMIT_DATA: the present size of the process plus `ALLOWANCE`. Where the system does
not report that size (there is no ``/proc``), there is no limit.
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
"""Bytes that a test may take on top of the earlier size of the process."""

CALLS_BETWEEN_LOOKS = 500
"""Calls between two measurements of the process: it grows slowly, and one takes 20 microseconds."""

RESERVE = 8 * 2**20
"""Bytes that are freed when a call has used up the memory; nothing writes to them."""

_STATISTICS = Path("/proc/self/statm")
_DATA = 5
"""Column of the pages of data and stack, to which the limit applies."""


class MemoryLimit:
    """Limits the memory of the process between `begin` and `end`."""

    def __init__(self, allowance: int = ALLOWANCE) -> None:
        self._allowance = allowance
        self._usual: tuple[int, int] | None = None
        if resource is not None:
            self._usual = resource.getrlimit(resource.RLIMIT_DATA)
        self._calls = 0
        self._limit: tuple[int, int] | None = None
        self._reserve: bytearray | None = None

    def begin(self) -> None:
        """Set the limit, as far as this platform allows it."""
        if self._calls % CALLS_BETWEEN_LOOKS == 0:
            self._limit = self._sensible_limit()
        self._calls += 1
        if self._reserve is None:
            self._reserve = bytearray(RESERVE)
        self._set(self._limit)

    def end(self) -> None:
        """Restore the former limit; this needs no memory."""
        if self._limit is not None:
            self._set(self._usual)

    def free_reserve(self) -> None:
        """Free the reserve until the next call."""
        self._reserve = None

    def _sensible_limit(self) -> tuple[int, int] | None:
        """Return the soft and hard limit in bytes; None where an existing limit is no higher."""
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
