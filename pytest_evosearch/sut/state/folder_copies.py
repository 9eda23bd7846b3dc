"""Puts a folder back in which another process has worked: what a process does cannot be seen.

A wiki whose pages lie in a git repository writes half of it by itself and lets ``git`` write the
rest.  Undoing one half alone would leave a repository that cannot be read.

    at the first process of a test   every file below is copied, unless it is as at the last look
    afterwards                       what is new is removed, what changed or is gone is made again

Only what the run has made itself is treated so (a repository in ``tmp_path``): no file below may
be older than the run, so that the work of people is never lost.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.core.isolation import os

MOST_ENTRIES = 2000
"""Files and folders; looking at so many takes about 20 ms, twice for each test."""

LARGEST_COPY = 16 << 20
"""Bytes of all files (16 MiB)."""


class Unsuitable(Exception):
    """A folder that is too large, older than the run, or holds more than files."""


@dataclass(frozen=True)
class _Entry:
    """A file, a link or a folder."""

    status: os.stat_result
    content: bytes | str | None
    """Of a file, or where a link leads; None of a folder."""


@dataclass
class FolderCopy:
    """What stands in a folder, to be put back later."""

    path: str
    status: os.stat_result
    _entries: dict[str, _Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, top: str, since: float) -> FolderCopy:
        """Copy a folder; raise `Unsuitable` when that is none that the run has made."""
        made = cls(top, os.lstat(top))
        made.renew(since)
        return made

    def renew(self, since: float) -> None:
        """Copy what is no longer as it was at the last look; raise as `of`."""
        earlier, size = self._entries, 0
        self._entries = {}
        for path, status in _walk(self.path):
            size += status.st_size
            is_old, is_large = status.st_ctime < since, size > LARGEST_COPY
            if is_old or is_large or len(self._entries) >= MOST_ENTRIES or not _is_usual(status):
                raise Unsuitable(self.path)
            known = earlier.get(path)
            is_known = known is not None and _stamp(known.status) == _stamp(status)
            content = known.content if known is not None and is_known else _content(path, status)
            self._entries[path] = _Entry(status, content)

    def undo(self) -> None:
        """Put everything back; what cannot be is left as it is."""
        now: dict[str, os.stat_result | None] = dict(_walk(self.path))
        for path, status in reversed(now.items()):  # what lies in a folder before the folder
            known = self._entries.get(path)
            assert status is not None
            if known is None or stat.S_IFMT(known.status.st_mode) != stat.S_IFMT(status.st_mode):
                with suppress(OSError):
                    _remove(path, status)
                    now[path] = None
        for path, entry in self._entries.items():
            there = now.get(path)
            if there is None or _stamp(there) != _stamp(entry.status):
                with suppress(OSError):
                    self._put_back(path, entry)

    def is_lost(self) -> bool:
        """Say that nothing is missed: the run has made it."""
        return False

    def _put_back(self, path: str, entry: _Entry) -> None:
        if isinstance(entry.content, bytes):
            with suppress(FileNotFoundError):
                os.chmod(path, stat.S_IMODE(entry.status.st_mode) | stat.S_IWUSR)
            with io.FileIO(path, "w") as file:
                file.write(entry.content)
        elif isinstance(entry.content, str):
            with suppress(FileNotFoundError):
                os.unlink(path)
            os.symlink(entry.content, path)
        elif not os.path.isdir(path):
            os.mkdir(path)
        if not isinstance(entry.content, str):
            os.chmod(path, stat.S_IMODE(entry.status.st_mode))
            os.utime(path, ns=(entry.status.st_atime_ns, entry.status.st_mtime_ns))
        self._entries[path] = _Entry(os.lstat(path), entry.content)


def worked_on(folder: str) -> str:
    """Return the folder that a process with this working folder may change."""
    above = folder
    while above != os.path.dirname(above):
        if any(os.path.lexists(os.path.join(above, name)) for name in (".git", ".hg", ".svn")):
            return above
        above = os.path.dirname(above)
    return folder


def _walk(top: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield what is below `top`, a folder before what lies in it."""
    with suppress(OSError), os.scandir(top) as found:
        for entry in found:
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    yield from _walk(entry.path)


def _is_usual(status: os.stat_result) -> bool:
    """Say whether something is no socket, pipe or device."""
    kinds = stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK
    return stat.S_IFMT(status.st_mode) in kinds


def _content(path: str, status: os.stat_result) -> bytes | str | None:
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)
    if stat.S_ISDIR(status.st_mode):
        return None
    with io.FileIO(path) as file:
        return file.readall()


def _remove(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        os.rmdir(path)
    else:
        os.unlink(path)


def _stamp(status: os.stat_result) -> tuple[int, int, int, int, int]:
    """Return what changes with a file; times of folders change with what lies in them."""
    if stat.S_ISDIR(status.st_mode):
        return 0, status.st_mode, 0, 0, 0
    return status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size, status.st_ctime_ns
