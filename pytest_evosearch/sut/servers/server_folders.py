"""Folders for the data of servers, which are removed with the process (`core.scratch`)."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import remove_orphans
from pytest_evosearch.core.scratch import scratch_folder

_SHARED_MEMORY = Path("/dev/shm")
_SHORT = Path("/tmp")

LONGEST_PARENT = 60
"""Bytes of the path of a temporary folder: a socket's path has 103 at most, 39 of them below it."""

_ROOM = 200 << 20
"""Free bytes that memory must have for the data of a server."""


@contextmanager
def server_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder, which is removed at the end; first remove those of dead processes.

    Its path is short enough for a socket in it.
    """
    parent = parent or _short_parent()
    remove_orphans(parent)
    with scratch_folder("server", parent) as folder:
        yield folder


def _short_parent() -> Path | None:
    """Return a folder with a short path where that of the temporary folder is too long."""
    if len(os.fsencode(tempfile.gettempdir())) <= LONGEST_PARENT or not os.access(_SHORT, os.W_OK):
        return None
    return _SHORT


def memory_folder() -> Path | None:
    """Return a folder in memory, None when there is too little memory."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_SHARED_MEMORY)
        if room.f_bavail * room.f_frsize >= _ROOM and os.access(_SHARED_MEMORY, os.W_OK):
            return _SHARED_MEMORY
    return None
