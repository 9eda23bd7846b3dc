"""Folders in the temporary folder, which go away with the block, or else with the next run.

A process that is killed removes nothing.  So each folder holds a file that its process has locked:
what no living process has locked is removed by `remove_orphans`.
"""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.file_lock import is_locked_here
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

PREFIX = "evosearch-"
"""How the names of all these folders begin."""

OWNER = ".owner"
"""The file that is locked."""

UNLOCKED = ".unlocked"
"""Stands in its place where a file cannot be locked."""

UNOWNED_SECONDS = 0.5
"""Age of an empty folder from which nothing but a kill explains that it has no owner yet."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ScratchFolder:
    """One folder; to be closed."""

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-", dir=parent))
        try:
            self._lock = os.open(self.path / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
            if not is_locked_here(self._lock):  # no locks here: without the file it is left alone
                os.rename(self.path / OWNER, self.path / UNLOCKED)
        except OSError:  # a full disk
            shutil.rmtree(self.path, ignore_errors=True)
            raise
        self._known = os.fstat(self._lock)
        self._process = os.getpid()

    def close(self) -> None:
        """Remove the folder and what is in it; a child of this process leaves it alone."""
        if os.getpid() != self._process:
            return
        with suppress(OSError):  # the application may have closed it, or opened another one
            if os.path.samestat(os.fstat(self._lock), self._known):
                os.close(self._lock)
        self._process = 0
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def scratch_folder(purpose: str, parent: Path | None = None) -> Iterator[Path]:
    """Make a folder for `purpose`, which stands in its name, and remove it in the end.

    It lies in `parent`, or else in the temporary folder.
    """
    folder = ScratchFolder(purpose, parent)
    try:
        yield folder.path
    finally:
        folder.close()


def remove_orphans(parent: Path | None = None) -> None:
    """Remove the folders of processes that have died, in `parent` or in the temporary folder."""
    with suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as found:
        for entry in found:
            if not entry.name.startswith(PREFIX):
                continue
            if _is_orphan(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif _is_unowned(entry.path):
                with suppress(OSError):
                    os.rmdir(entry.path)  # fails where anything is in it


def _is_orphan(folder: str) -> bool:
    """Say whether a folder is one of these whose process has died; any other is left alone."""
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return False
        descriptor = os.open(os.path.join(folder, OWNER), os.O_RDWR | _NO_LINK)
    except OSError:
        return False
    try:
        # The folder itself may have been given to the user as whom a server runs.
        return os.fstat(descriptor).st_uid == _own_user() and is_locked_here(descriptor)
    finally:
        os.close(descriptor)


def _is_unowned(folder: str) -> bool:
    """Say whether a folder may have been left between making it and locking it."""
    try:
        known = os.lstat(folder)
    except OSError:
        return False
    is_old = time.time() - known.st_mtime > UNOWNED_SECONDS
    return is_old and known.st_uid == _own_user() and stat.S_ISDIR(known.st_mode)


def _own_user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
