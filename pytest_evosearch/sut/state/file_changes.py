"""The former content of files and folders, and how to restore each."""

from __future__ import annotations

import io
import stat
from contextlib import suppress
from typing import TypeAlias

from pytest_evosearch.core.failing.putting_back import Entry
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping


@dataclass(frozen=True)
class KeptFile:
    """The former content of a file."""

    path: str
    status: os.stat_result
    content: bytes

    def undo(self) -> None:
        """Restore it."""
        now = status_of(self.path)
        if now is not None and _stamp_of(now) == _stamp_of(self.status):
            return
        if now is not None and not stat.S_ISREG(now.st_mode):
            _remove(self.path)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with io.FileIO(self.path, "w") as file:
            file.write(self.content)
        os.chmod(self.path, stat.S_IMODE(self.status.st_mode))
        set_time(self.path, self.status)

    def entry(self, safe: Safekeeping) -> Entry | None:
        """Return the entry that restores it after the death of this process."""
        copy = safe.copy_for_call(self.path, self.status, self.content)
        mode, times = stat.S_IMODE(self.status.st_mode), times_of(self.status)
        return Entry("file", self.path, copy, mode, times) if copy is not None else None

    def is_lost(self) -> bool:
        """Say whether it differs from its former state."""
        now = status_of(self.path)
        if now is None or not stat.S_ISREG(now.st_mode):
            return True
        if _stamp_of(now) == _stamp_of(self.status):
            return False
        with io.FileIO(self.path) as file:  # a log may get longer
            return not file.readall().startswith(self.content)


@dataclass(frozen=True)
class KeptLink:
    """The former target of a symbolic link."""

    path: str
    status: os.stat_result
    target: str

    def undo(self) -> None:
        """Restore it."""
        if self.is_lost():
            _remove(self.path)
            os.symlink(self.target, self.path)
            set_time(self.path, self.status)

    def entry(self, _safe: Safekeeping) -> Entry:
        """Return the entry that restores it after the death of this process."""
        return Entry("link", self.path, self.target)

    def is_lost(self) -> bool:
        """Say whether it differs from its former state."""
        return not os.path.islink(self.path) or os.readlink(self.path) != self.target


@dataclass(frozen=True)
class KeptFolder:
    """A folder that existed."""

    path: str
    status: os.stat_result

    def undo(self) -> None:
        """Restore it."""
        if self.is_lost():
            _remove(self.path)
            os.makedirs(self.path)
        mode = stat.S_IMODE(self.status.st_mode)
        if stat.S_IMODE(os.stat(self.path).st_mode) != mode:
            os.chmod(self.path, mode)

    def entry(self, _safe: Safekeeping) -> Entry:
        """Return the entry that restores it after the death of this process."""
        return Entry("folder", self.path, mode=stat.S_IMODE(self.status.st_mode))

    def is_lost(self) -> bool:
        """Say whether it differs from its former state."""
        return not os.path.isdir(self.path)


@dataclass(frozen=True)
class MovedFolder:
    """A folder that was moved."""

    path: str
    status: os.stat_result
    target: str

    def undo(self) -> None:
        """Move it back."""
        if os.path.isdir(self.target) and self.is_lost():
            os.rename(self.target, self.path)

    def entry(self, _safe: Safekeeping) -> Entry:
        """Return the entry that moves it back after the death of this process."""
        return Entry("moved", self.path, self.target)

    def is_lost(self) -> bool:
        """Say whether it is not at its former place."""
        return not os.path.lexists(self.path)


@dataclass(frozen=True)
class NothingThere:
    """A path at which nothing existed."""

    path: str
    status: None = None

    def undo(self) -> None:
        """Remove what is there now."""
        if os.path.isdir(self.path) and not os.path.islink(self.path):
            _remove_sockets(self.path)
        _remove(self.path)

    def entry(self, _safe: Safekeeping) -> Entry:
        """Return the entry that empties the path after the death of this process."""
        return Entry("nothing", self.path)

    def is_lost(self) -> bool:
        """Return whether something is lost: never, because nothing existed."""
        return False


Change: TypeAlias = KeptFile | KeptLink | KeptFolder | MovedFolder | NothingThere


def status_of(path: str) -> os.stat_result | None:
    """Return the status of the object at a path, None without one."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def set_time(path: str, status: os.stat_result) -> None:
    """Restore the time of a file: a file that looks new counts as the run's own."""
    times = times_of(status)
    if os.utime in os.supports_follow_symlinks:
        os.utime(path, ns=times, follow_symlinks=False)
    elif not stat.S_ISLNK(status.st_mode):
        os.utime(path, ns=times)


def times_of(status: os.stat_result) -> tuple[int, int]:
    """Return when a file was read and written last."""
    return status.st_atime_ns, status.st_mtime_ns


def _stamp_of(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size


def _remove_sockets(folder: str) -> None:
    """Remove the sockets and pipes in a new folder: no event reports their creation."""
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                os.unlink(entry.path)


def _remove(path: str) -> None:
    """Remove a file, a link or an empty folder, if one is there."""
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
