"""Says where the data of servers lie: in folders that go with the process (`core.scratch`)."""

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
"""Bytes that have to be free in memory before data of a server go there."""


@contextmanager
def server_folder(parent: Path | None = None) -> Iterator[Path]:
    """Give a new folder, which is removed at the end; remove those of dead processes first."""
    remove_orphans(parent)
    with scratch_folder("server", parent) as folder:
        yield folder


def memory_folder() -> Path | None:
    """Return a folder that lies in memory, None where there is too little of it."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_SHARED_MEMORY)
        if room.f_bavail * room.f_frsize >= _ROOM and os.access(_SHARED_MEMORY, os.W_OK):
            return _SHARED_MEMORY
    return None
