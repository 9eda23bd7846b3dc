"""The limits that the system sets to a process: how many files, how much memory."""

from __future__ import annotations

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def limit_numbers() -> tuple[int, ...]:
    """Return the numbers of all limits that this system has."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return tuple(sorted({getattr(resource, name) for name in names}))
