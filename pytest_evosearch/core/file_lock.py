"""Locks a file as long as this process lives, so that other processes see that it does.

The number of a process proves less: another process may have it by now, above all in a container,
where numbers begin again.  A forked child holds the lock of its parent.  So no other process
touches a file that the child may still write to.
"""

from __future__ import annotations

from typing import Any

from pytest_evosearch.core.isolation import os


def is_locked_here(descriptor: int) -> bool:
    """Lock an open file if it is free; say whether this descriptor holds the lock."""
    try:
        _lock(descriptor)
    except OSError:
        return False
    return True


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        windows: Any = msvcrt
        windows.locking(descriptor, windows.LK_NBLCK, 1)
        return
    try:
        import fcntl
    except ImportError:
        raise OSError("files cannot be locked on this platform") from None
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
