"""Folders in the temporary folder that are removed with the block, or by the next run.

A process that is killed removes nothing.  So each folder holds a file that its process locks.
`remove_orphans` removes the folders that no living process has locked.
"""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

PREFIX = "evosearch-"
"""Beginning of the names of all these folders."""

OWNER = ".owner"
"""The file that is locked."""

UNLOCKED = ".unlocked"
"""The file that replaces `OWNER` where the platform cannot lock a file."""

UNOWNED_SECONDS = 0.5
"""Age in seconds after which an empty folder has no process: it was killed before it locked one."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ScratchFolder:
    """One folder; call `close` when it is no longer needed."""

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-", dir=parent))
        try:
            self._lock = os.open(self.path / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
            if not is_locked_here(self._lock):  # no locks here: without the file others keep it
                os.rename(self.path / OWNER, self.path / UNLOCKED)
        except OSError:  # for example a full disk
            shutil.rmtree(self.path, ignore_errors=True)
            raise
        self._known = os.fstat(self._lock)
        self._process = os.getpid()

    def close(self) -> None:
        """Remove the folder and its content; in a child of the process that made it, do nothing."""
        if os.getpid() != self._process:
            return
        with suppress(OSError):  # the application may have closed it, or reused its number
            if os.path.samestat(os.fstat(self._lock), self._known):
                os.close(self._lock)
        self._process = 0
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def scratch_folder(purpose: str, parent: Path | None = None) -> Iterator[Path]:
    """Make a folder with `purpose` in its name, and remove it at the end of the block.

    It lies in `parent`, or else in the temporary folder.
    """
    folder = ScratchFolder(purpose, parent)
    try:
        yield folder.path
    finally:
        folder.close()


def remove_orphans(parent: Path | None = None) -> None:
    """Remove the folders of dead processes in `parent`, or in the temporary folder."""
    with suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as found:
        for entry in found:
            if not entry.name.startswith(PREFIX):
                continue
            if _is_orphan(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif _is_unowned(entry.path):
                with suppress(OSError):
                    os.rmdir(entry.path)  # fails when the folder is not empty


def _is_orphan(folder: str) -> bool:
    """Say whether a folder was made here by a process that is dead now."""
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return False
        descriptor = os.open(os.path.join(folder, OWNER), os.O_RDWR | _NO_LINK)
    except OSError:
        return False
    try:
        # The owner of the folder may be the user as whom a server runs, and not this one.
        return os.fstat(descriptor).st_uid == _own_user() and is_locked_here(descriptor)
    finally:
        os.close(descriptor)


def _is_unowned(folder: str) -> bool:
    """Say whether a process may have died between making the folder and locking it."""
    try:
        known = os.lstat(folder)
    except OSError:
        return False
    is_old = time.time() - known.st_mtime > UNOWNED_SECONDS
    return is_old and known.st_uid == _own_user() and stat.S_ISDIR(known.st_mode)


def _own_user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def is_locked_here(descriptor: int) -> bool:
    """Lock an open file if it is free, for as long as this process lives; say whether it is locked.

    The number of a process proves less: another process may have it by now, above all in a
    container, where numbers begin again. A forked child holds the lock of its parent. So no other
    process touches a file that the child may still write to.
    """
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
