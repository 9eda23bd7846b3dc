"""Folders for the data of servers, which are removed with the process (`core.scratch`)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import remove_orphans
from pytest_evosearch.core.scratch import scratch_folder

_SHARED_MEMORY = Path("/dev/shm")
_ROOM = 200 << 20
"""Free bytes that memory must have for the data of a server."""


@contextmanager
def server_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder, which is removed at the end; first remove those of dead processes."""
    remove_orphans(parent)
    with scratch_folder("server", parent) as folder:
        yield folder


def memory_folder() -> Path | None:
    """Return a folder in memory, None when there is too little memory."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_SHARED_MEMORY)
        if room.f_bavail * room.f_frsize >= _ROOM and os.access(_SHARED_MEMORY, os.W_OK):
            return _SHARED_MEMORY
    return None
