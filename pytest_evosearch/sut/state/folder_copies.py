"""Restores a folder in which another process has worked, as its changes cannot be observed.

A wiki with its pages in a git repository writes some files itself, and ``git`` writes the others.
Undoing only the former would leave an unreadable repository.

    at the first process of a test   every file below is copied, unless it is as at the last look
    afterwards                       what is new is removed, what changed or is gone is made again

Only folders that the run has created are restored in this way (a repository in ``tmp_path``). No
file below may be older than the run, so work of people is never lost.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass

MOST_ENTRIES = 2000
"""Most files and folders; a look at that many takes about 20 ms, twice for each test."""

LARGEST_COPY = 16 << 20
"""Most bytes of all files (16 MiB)."""


class Unsuitable(Exception):
    """Says that a folder is too large, older than the run, or contains more than files."""


@dataclass(frozen=True)
class _Entry:
    """A file, a link or a folder."""

    status: os.stat_result
    content: bytes | str | None
    """Content of a file, or target of a link; None for a folder."""


@dataclass
class FolderCopy:
    """The content of a folder, for a later restore."""

    path: str
    status: os.stat_result
    _entries: dict[str, _Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, top: str, since: float) -> FolderCopy:
        """Copy a folder; raise `Unsuitable` when the run has not created it."""
        made = cls(top, os.lstat(top))
        made.renew(since)
        return made

    def renew(self, since: float) -> None:
        """Copy what has changed since the last look; raise as `of` does."""
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
        """Restore everything that can be restored."""
        now: dict[str, os.stat_result | None] = dict(_walk(self.path))
        for path, status in reversed(now.items()):  # contents of a folder before the folder
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
        """Return False: the run itself has created the folder."""
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


class FolderCopies:
    """Copies of the folders in which processes worked, each looked at once in a test."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._copies: dict[str, FolderCopy | None] = {}
        """Folder -> copy; None for one that cannot be restored."""
        self._worked_on: set[str] = set()

    def begun(self, folder: str) -> list[FolderCopy]:
        """Return the copy of the folder in which a process begins, if there is a new one."""
        top = worked_on(folder)
        if top in self._worked_on:
            return []
        self._worked_on.add(top)
        try:
            copy = self._copied(top)
        except (OSError, Unsuitable):
            copy = self._copies[top] = None
        return [copy] if copy is not None else []

    def _copied(self, top: str) -> FolderCopy | None:
        if top not in self._copies:
            self._copies[top] = FolderCopy.of(top, self._since)
            return self._copies[top]
        copy = self._copies[top]
        if copy is not None:
            copy.renew(self._since)
        return copy

    def end_test(self) -> None:
        """Look at each folder anew from now on."""
        self._worked_on.clear()


def worked_on(folder: str) -> str:
    """Return the folder that a process in this working folder may change."""
    above = folder
    while above != os.path.dirname(above):
        if any(os.path.lexists(os.path.join(above, name)) for name in (".git", ".hg", ".svn")):
            return above
        above = os.path.dirname(above)
    return folder


def _walk(top: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below `top`, a folder before its contents."""
    with suppress(OSError), os.scandir(top) as found:
        for entry in found:
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    yield from _walk(entry.path)


def _is_usual(status: os.stat_result) -> bool:
    """Say whether an object is no socket, pipe or device."""
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
    """Return what changes with a file; a folder's time changes with its contents."""
    if stat.S_ISDIR(status.st_mode):
        return 0, status.st_mode, 0, 0, 0
    return status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size, status.st_ctime_ns
