"""Locks a file for as long as this process lives: that is how others see whether it does.

A number of a process says less.  Another process may have it by now, and where processes are
counted anew (a container) most likely has.  A child that was forked holds the lock as well: what it
may still be writing to is not touched while it lives.
"""

from __future__ import annotations

from typing import Any

from pytest_evosearch.core.isolation import os


def is_locked_here(descriptor: int) -> bool:
    """Lock the open file if it is free; say whether it is locked by this opening."""
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
