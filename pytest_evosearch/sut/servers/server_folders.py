"""Makes folders for servers that go with the process, and sweeps those of processes that died.

A folder is locked by the process that made it.  A lock ends with its process, whatever ended it,
so that a folder without one is left over.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.file_lock import is_locked_here
from pytest_evosearch.core.isolation import os

_PREFIX = "evosearch-server-"
_LOCK = "lock"
_SHARED_MEMORY = Path("/dev/shm")
_ROOM = 200 << 20
"""Bytes that have to be free in memory before data of a server go there."""


@contextmanager
def server_folder(parent: Path | None = None) -> Iterator[Path]:
    """Give a new folder, which is removed at the end; sweep old ones first."""
    parent = parent or Path(tempfile.gettempdir())
    sweep(parent)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    with (folder / _LOCK).open("w") as lock:
        is_locked_here(lock.fileno())
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def memory_folder() -> Path | None:
    """Return a folder that lies in memory, None where there is too little of it."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_SHARED_MEMORY)
        if room.f_bavail * room.f_frsize >= _ROOM and os.access(_SHARED_MEMORY, os.W_OK):
            return _SHARED_MEMORY
    return None


def sweep(parent: Path) -> None:
    """Remove the folders in `parent` of processes that are gone."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if is_locked_here(lock.fileno()):
                shutil.rmtree(folder, ignore_errors=True)
