"""Undoes what an application does to files while it handles calls: its state, and the user's data.

    heard of (PEP 578)             undone, the last change first
    open for writing, truncate,    content, mode and time of last change are put back;
    chmod, remove, rename          what was not there is removed
    mkdir, rmdir, rename           the folder is removed when empty, made, or moved back
    rmtree                         as its files and folders, one by one

An audit hook also hears of functions that the application took away before anybody could wrap them
(``from os import remove``).  It cannot be taken out again, so it is deaf outside of `begin` ...
`end`.  SQLite opens its files without telling (`sqlite_state` brings those back), and so does code
that calls the C library by itself.

A search sends what no test of the project ever sent (``DELETE /files/../app.py``), so what is too
large to be put back is not changed at all.
"""

from __future__ import annotations

import errno
import io
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_evosearch.core.isolation import os

LARGEST_FILE = 64 << 20
"""Bytes of a file that are kept in memory (64 MiB)."""

LARGEST_TREE = 256 << 20
"""Bytes of all files that are kept at once (256 MiB), those of a removed tree above all."""

_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = ("/dev/", "/proc/", "/sys/")
_OF_TOOLS = frozenset((".cache", ".pytest_cache", "__pycache__", "site-packages", "dist-packages"))
"""Folders of what is made once and used again, whoever asks for it first."""


@dataclass(frozen=True)
class _File:
    """What stood in a file."""

    path: str
    content: bytes
    status: os.stat_result

    def undo(self) -> None:
        now = _status(self.path)
        if now is not None and _stamp(now) == _stamp(self.status):
            return
        if now is not None and not stat.S_ISREG(now.st_mode):
            _remove(self.path)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with io.FileIO(self.path, "w") as file:
            file.write(self.content)
        os.chmod(self.path, stat.S_IMODE(self.status.st_mode))
        os.utime(self.path, ns=(self.status.st_atime_ns, self.status.st_mtime_ns))


@dataclass(frozen=True)
class _Link:
    """Where a symbolic link pointed."""

    path: str
    target: str

    def undo(self) -> None:
        if os.path.islink(self.path) and os.readlink(self.path) == self.target:
            return
        _remove(self.path)
        os.symlink(self.target, self.path)


@dataclass(frozen=True)
class _Folder:
    """A folder that was there."""

    path: str
    mode: int

    def undo(self) -> None:
        if not os.path.isdir(self.path):
            _remove(self.path)
            os.makedirs(self.path)
        if stat.S_IMODE(os.stat(self.path).st_mode) != self.mode:
            os.chmod(self.path, self.mode)


@dataclass(frozen=True)
class _Nothing:
    """A path at which nothing was."""

    path: str

    def undo(self) -> None:
        _remove(self.path)


@dataclass(frozen=True)
class _Moved:
    """A folder that was somewhere else."""

    source: str
    target: str

    def undo(self) -> None:
        if os.path.isdir(self.target) and not os.path.lexists(self.source):
            os.rename(self.target, self.source)


class WrittenFiles:
    """Keeps what stood in files before the application changed them, until `restore`."""

    description = ""

    def __init__(self) -> None:
        self._earlier: list[_File | _Link | _Folder | _Nothing | _Moved] = []
        self._noted: set[str] = set()
        self._bytes = 0
        self._hears = False
        self._noting: set[int] = set()
        """Threads that look at files on our behalf."""
        self._listeners: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._opened,
            "os.truncate": self._changed,
            "os.chmod": self._changed,
            "os.remove": partial(self._changed, directory=1),
            "os.mkdir": self._made,
            "os.rmdir": partial(self._changed, directory=1),
            "os.link": self._linked,
            "os.symlink": self._linked,
            "os.rename": self._renamed,
            "shutil.rmtree": self._removed_tree,
        }

    @contextmanager
    def installed(self) -> Iterator[WrittenFiles]:
        """Be able to hear what happens to files, until the end of the block."""
        sys.addaudithook(self.hear)
        try:
            yield self
        finally:
            self._listeners = {}

    def begin(self) -> None:
        """Listen: what happens from now on is the application's doing."""
        self._hears = True

    def end(self) -> None:
        """Do not listen any more."""
        self._hears = False

    def snapshot(self) -> None:
        """Take files for right as they are now."""
        self._earlier, self._noted, self._bytes = [], set(), 0

    def restore(self) -> None:
        """Undo every change, the last one first; what nobody can undo stays."""
        if not self._earlier:
            return
        earlier = self._earlier
        self.snapshot()
        for change in reversed(earlier):
            with suppress(OSError):
                change.undo()

    def close(self) -> None:
        """Undo what the last calls did."""
        self.end()
        self.restore()

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what is about to be changed; this is called for every event of the process.

        Raises PermissionError, which stops the change, when it could not be undone.
        """
        if not self._hears:
            return
        listener = self._listeners.get(event)
        if listener is None:
            return
        thread = threading.get_ident()
        if thread in self._noting:
            return
        self._noting.add(thread)
        try:
            listener(arguments)
        finally:
            self._noting.discard(thread)

    def _opened(self, arguments: tuple[Any, ...]) -> None:
        path, _mode, flags = arguments
        if isinstance(flags, int) and flags & _CHANGES:
            self._note(_followed(path))

    def _changed(self, arguments: tuple[Any, ...], directory: int | None = None) -> None:
        """Note the first argument; that at `directory` is an open folder it is relative to."""
        if directory is None:
            self._note(_followed(arguments[0]))
        elif arguments[directory] == -1:
            self._note(_itself(arguments[0]))

    def _made(self, arguments: tuple[Any, ...]) -> None:
        path = _itself(arguments[0])
        if path is not None and arguments[2] == -1:
            # Noted each time: the first attempt fails where the folder above has to be made first.
            self._noted.discard(path)
            self._note(path)

    def _linked(self, arguments: tuple[Any, ...]) -> None:
        self._note(_itself(arguments[1]))

    def _renamed(self, arguments: tuple[Any, ...]) -> None:
        source, target, *directories = arguments
        old, new = _itself(source), _itself(target)
        if old is None or new is None or any(one != -1 for one in directories):
            return
        self._note(new)
        if not os.path.isdir(old) or os.path.islink(old):
            self._note(old)
            return
        self._earlier.append(_Moved(old, new))
        self._noted.clear()  # paths below these two mean something else from now on

    def _removed_tree(self, arguments: tuple[Any, ...]) -> None:
        top = _itself(arguments[0])
        if top is None or any(one not in (-1, None) for one in arguments[1:]):
            return
        for folder, folders, names in os.walk(top, topdown=False):
            # Noted last, made first.
            for name in (*names, *(one for one in folders if _is_link(folder, one)), "."):
                self._note(os.path.normpath(f"{folder}{os.sep}{name}"))

    def _note(self, path: str | None) -> None:
        """Remember what is at `path`, the first time only."""
        if path is None or path in self._noted or _is_of_tool(path):
            return
        status = _status(path)
        if status is None:
            self._earlier.append(_Nothing(path))
        elif stat.S_ISLNK(status.st_mode):
            self._earlier.append(_Link(path, os.readlink(path)))
        elif stat.S_ISDIR(status.st_mode):
            self._earlier.append(_Folder(path, stat.S_IMODE(status.st_mode)))
        elif stat.S_ISREG(status.st_mode):
            self._keep(path, status)
        self._noted.add(path)

    def _keep(self, path: str, status: os.stat_result) -> None:
        if status.st_size > LARGEST_FILE or self._bytes + status.st_size > LARGEST_TREE:
            if path.startswith(os.path.realpath(tempfile.gettempdir()) + os.sep):
                return  # nobody misses it
            why = "pytest-evosearch could not put back what it holds"
            raise PermissionError(errno.EACCES, why, path)
        with io.FileIO(path) as file:
            content = file.readall()
        self._bytes += len(content)
        self._earlier.append(_File(path, content, status))


def _followed(path: object) -> str | None:
    """Return the real path of a file that is opened, None for descriptors."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return None
    return os.path.realpath(os.fsdecode(path))


def _itself(path: object) -> str | None:
    """Return the path of a link rather than what it points to."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return None
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return os.path.join(os.path.realpath(folder), name)


def _is_of_tool(path: str) -> bool:
    return path.startswith(_DEVICES) or not _OF_TOOLS.isdisjoint(path.split(os.sep))


def _is_link(folder: str, name: str) -> bool:
    return os.path.islink(f"{folder}{os.sep}{name}")


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size


def _remove(path: str) -> None:
    """Remove a file, a link or an empty folder, if one is there."""
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
