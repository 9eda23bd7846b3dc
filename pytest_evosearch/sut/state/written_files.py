"""Undoes changes that an application makes to files while it handles calls.

    event (PEP 578)                undone, the last change first
    open for writing, truncate,    content, mode and time of last change are put back;
    chmod, remove, rename          what was not there is removed
    mkdir, rmdir, rename           the folder is removed when empty, made, or moved back
    rmtree                         as its files and folders, one by one
    a process in a folder          all of the folder, if the run has made it (`folder_copies`)

An audit hook also sees functions that the application imported by name before they could be wrapped
(``from os import remove``). A hook cannot be removed, so a process has one, which ignores events
outside `begin` ... `end`. SQLite opens its files without an event (`sqlite_state` restores those),
and so does code that calls the C library itself.

A search sends requests that no test of the project ever sent (``PUT /files/../../etc/hostname``).
So three kinds of files are never changed: existing files outside the project, files that are too
large to restore, and files of open databases. `harms` lists other changes, so no written test
repeats them. Files in the temporary folder may be written, but neither the folder nor files of
other programs there may be removed.
"""

from __future__ import annotations

import io
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pytest_evosearch.core import folder_names
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.sut.state.file_changes import Change
from pytest_evosearch.sut.state.file_changes import KeptFile
from pytest_evosearch.sut.state.file_changes import KeptFolder
from pytest_evosearch.sut.state.file_changes import KeptLink
from pytest_evosearch.sut.state.file_changes import MovedFolder
from pytest_evosearch.sut.state.file_changes import NothingThere
from pytest_evosearch.sut.state.file_changes import set_time
from pytest_evosearch.sut.state.file_changes import status_of
from pytest_evosearch.sut.state.file_paths import as_prefix
from pytest_evosearch.sut.state.file_paths import followed
from pytest_evosearch.sut.state.file_paths import is_database
from pytest_evosearch.sut.state.file_paths import is_link
from pytest_evosearch.sut.state.file_paths import itself
from pytest_evosearch.sut.state.file_paths import patterns_of
from pytest_evosearch.sut.state.folder_copies import FolderCopies
from pytest_evosearch.sut.state.folder_copies import FolderCopy
from pytest_evosearch.sut.state.protected_files import ProtectedFiles

LARGEST_FILE = 64 << 20
"""Most bytes of a file that is kept in memory (64 MiB)."""

LARGEST_TREE = 256 << 20
"""Most bytes of all kept files (256 MiB), as for a removed tree."""

COARSE_CLOCK_SECONDS = 0.05
"""Seconds by which file times may be behind the clock."""

_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_TOOLS = frozenset((".pytest_cache", "__pycache__"))
"""Folders of tools, unrelated to the application."""
_CACHES = folder_names.INSTALLED | {".cache"}
"""Folders of files that are created once and reused."""


class WrittenFiles:
    """Keeps the content of files before the application changes them, until `restore`."""

    def __init__(
        self, root: Path, safe: Safekeeping | None = None, own: Path | None = None
    ) -> None:
        """Watch the project in `root`; the search itself writes the folder `own`."""
        self._root = as_prefix(root)
        self._own = as_prefix(own) if own is not None else None
        self._safe = safe
        self._temporary = as_prefix(tempfile.gettempdir())
        self._started = time.time() - COARSE_CLOCK_SECONDS
        self._protected = ProtectedFiles(self._root, self._temporary, self._started)
        self.refusals = self._protected.refusals
        """Files that the application was kept from changing -> how many times."""
        self.own_time = OwnTime()
        """Measures the time for keeping contents."""
        self._earlier: list[Change | FolderCopy] = []
        self._noted: set[str] = set()
        self._bytes = 0
        self._is_listening = False
        self._was_called = False
        self._noting: set[int] = set()
        """Threads that access files for us."""
        self._listeners: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._opened,
            "os.truncate": self._changed,
            "os.chmod": self._changed,
            "os.remove": self._removed,
            "os.mkdir": self._made,
            "os.rmdir": self._removed,
            "os.link": self._linked,
            "os.symlink": self._linked,
            "os.rename": self._renamed,
            "shutil.rmtree": self._removed_tree,
            "subprocess.Popen": self._begun,
        }
        self._copies = FolderCopies(self._started)
        """Folders in which processes worked."""
        self.changes_common_files = False
        """Whether anything was ever changed in the project, or outside the temporary folder."""

    @contextmanager
    def installed(self) -> Iterator[WrittenFiles]:
        """Install the audit hook, so that `begin` can watch changes to files inside the block."""
        _add_hook()
        _INSTALLED.append(self)
        try:
            yield self
        finally:
            _INSTALLED.remove(self)
            self.restore()

    def begin(self) -> None:
        """Start: the application causes all changes from now on."""
        self._is_listening = self._was_called = True

    def end(self) -> None:
        """Stop watching."""
        self._is_listening = False

    def restore(self) -> None:
        """Undo every change in reverse order; keep changes that cannot be undone."""
        if not self._earlier:
            return
        earlier, self._earlier, self._noted, self._bytes = self._earlier, [], set(), 0
        self._copies.end_test()
        self._undo(earlier)
        if self._safe is not None:
            self._safe.forget_call()

    def undo_for_the_dead(self) -> None:
        """Undo the changes of a forked child that died before it could undo them."""
        if self._safe is not None:
            self._safe.undo_call()

    def _undo(self, earlier: Sequence[Change | FolderCopy]) -> None:
        for change in reversed(earlier):
            # A copy of a database may have been made for its first connection.
            if not is_database(change.path):
                with suppress(OSError):
                    change.undo()
        for change in earlier:  # once all their contents are restored
            if isinstance(change, (KeptFolder, MovedFolder)):
                with suppress(OSError):
                    set_time(change.path, change.status)

    def harms(self) -> tuple[str, ...]:
        """Return what happened, since the last `restore`, to files from before the run.

        A file that only gets longer is a log and does not count, nor do files in the temporary
        folder.
        """
        lost = dict.fromkeys(
            change.path
            for change in self._earlier
            if change.status is not None
            and self._protected.is_precious(change.path, change.status)
            and change.is_lost()
        )
        return tuple(f"change {path.removeprefix(self._root)}" for path in lost)

    def created(self, original_of: Callable[[str], str] = str) -> tuple[str, ...]:
        """Return patterns of the new files below the project.

        `original_of` returns the path of a sandboxed file without the sandbox. A pattern covers the
        folder of the files if it is meant for them: it is not the project itself, contains no code,
        and is not large. Otherwise the pattern is the path of a file.
        """
        noted = [change for change in self._earlier if not is_database(change.path)]
        made = [change.path for change in noted if change.status is None]
        paths = {original_of(path) for path in made if os.path.lexists(path)}
        fresh = {path for path in paths if path.startswith(self._root)}
        highest = [path for path in fresh if os.path.dirname(path) not in fresh]
        return tuple(
            sorted({pattern for path in highest for pattern in patterns_of(path, self._root)})
        )

    def receive(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a change before it happens; this is called for every audit event of the process.

        Raises PermissionError, which stops the change, when it could not be undone.
        """
        if not self._is_listening:
            if not self._was_called:
                self._look(event, arguments)
            return
        listener = self._listeners.get(event)
        if listener is None:
            return
        thread = threading.get_ident()
        if thread in self._noting:
            return
        self._noting.add(thread)
        try:
            with self.own_time.counted():
                listener(arguments)
        finally:
            self._noting.discard(thread)

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Notice, before the first call, when fixtures rebuild files of the project.

        Fixtures of other processes, in which the written tests run, will rebuild them, too.
        """
        listener = self._listeners.get(event)
        if listener is None or self.changes_common_files:
            return
        # A new folder, or a log that gets longer, does no harm.
        if listener in (self._made, self._linked, self._begun):
            return
        if listener == self._opened:
            flags = arguments[2]
            if not isinstance(flags, int) or not flags & _CHANGES or flags & os.O_APPEND:
                return
            if os.path.isdir(arguments[0]):  # a file without a name
                return
        if listener == self._removed and arguments[1] != -1:
            return  # below another folder than this
        name = itself(arguments[0])
        if name is None or (self._own is not None and name.startswith(self._own)):
            return
        if name.startswith(self._root):
            self.changes_common_files = _OF_TOOLS.isdisjoint(name.split(os.sep))

    def _opened(self, arguments: tuple[Any, ...]) -> None:
        path, _mode, flags = arguments
        if isinstance(flags, int) and flags & _CHANGES:
            name = followed(path)
            if name is not None and not os.path.isdir(name):  # for a file without a name
                self._note(name, adds=bool(flags & os.O_APPEND))

    def _changed(self, arguments: tuple[Any, ...]) -> None:
        self._note(followed(arguments[0]))

    def _removed(self, arguments: tuple[Any, ...]) -> None:
        path, directory = arguments
        if directory == -1:
            name = itself(path)
            self._protected.keep_for_others(name)
            self._note(name)

    def _made(self, arguments: tuple[Any, ...]) -> None:
        path = itself(arguments[0])
        if path is not None and arguments[2] == -1:
            # Noted each time: the first attempt fails when the folder above does not exist yet.
            self._noted.discard(path)
            self._note_new(path)

    def _linked(self, arguments: tuple[Any, ...]) -> None:
        path = itself(arguments[1])
        if path is not None:
            self._note_new(path)

    def _note_new(self, path: str) -> None:
        """Note a file to be created; do nothing when the path exists."""
        if not os.path.lexists(path):
            self._note(path)

    def _renamed(self, arguments: tuple[Any, ...]) -> None:
        source, target, *directories = arguments
        old, new = itself(source), itself(target)
        if old is None or new is None or any(one != -1 for one in directories):
            return
        self._protected.keep_for_others(old)
        self._note(new)
        status = status_of(old)
        if status is None or not stat.S_ISDIR(status.st_mode):
            self._note(old)
            return
        self._protected.refuse_outside(old, status)
        self._remember(MovedFolder(old, status, new))
        self._noted.clear()  # paths below these two have another meaning from now on

    def _removed_tree(self, arguments: tuple[Any, ...]) -> None:
        top = itself(arguments[0])
        if top is None or any(one not in (-1, None) for one in arguments[1:]):
            return
        self._protected.keep_for_others(top)
        for folder, folders, names in os.walk(top, topdown=False):
            for name in (*names, *folders):
                self._protected.keep_for_others(f"{folder}{os.sep}{name}")
            # Noted last, made first.
            for name in (*names, *(one for one in folders if is_link(folder, one)), "."):
                self._note(os.path.normpath(f"{folder}{os.sep}{name}"))

    def _begun(self, arguments: tuple[Any, ...]) -> None:
        """Copy the temporary folder in which a process is about to work, once for each test."""
        folder = followed(arguments[2])
        if folder is not None and folder.startswith(self._temporary):
            self._earlier += self._copies.begun(folder)

    def _note(self, path: str | None, adds: bool = False) -> None:
        """Remember the object at `path`, only the first time."""
        if path is None or path in self._noted or folder_names.is_of_system(path):
            return
        folders, status = path.split(os.sep), status_of(path)
        if not _OF_TOOLS.isdisjoint(folders):
            return
        if status is None:
            if not _CACHES.isdisjoint(folders):
                return
            self._remember(NothingThere(path))
        else:
            if not adds:
                self._protected.refuse_outside(path, status)
            if is_database(path):  # `sqlite_state` knows about its content, not about its file
                if not path.startswith(self._temporary) or path.startswith(self._root):
                    self._protected.refuse(path)
                return
            self._keep(path, status)
        self._noted.add(path)

    def _remember(self, change: Change) -> None:
        """Remember what to undo, on disk, too: the process may die first."""
        self._earlier.append(change)
        path = change.path
        if path.startswith(self._root) or not path.startswith(self._temporary):
            self.changes_common_files = True
        if self._safe is not None and self._safe.covers(change.path):
            entry = change.entry(self._safe)
            if entry is not None:
                self._safe.note_call(entry)

    def _keep(self, path: str, status: os.stat_result) -> None:
        if stat.S_ISLNK(status.st_mode):
            self._remember(KeptLink(path, status, os.readlink(path)))
        elif stat.S_ISDIR(status.st_mode):
            self._remember(KeptFolder(path, status))
        elif stat.S_ISREG(status.st_mode):
            self._keep_content(path, status)

    def _keep_content(self, path: str, status: os.stat_result) -> None:
        if status.st_size > LARGEST_FILE or self._bytes + status.st_size > LARGEST_TREE:
            if self._protected.is_precious(path, status) or self._protected.is_of_others(path):
                self._protected.refuse(path)
            return
        with io.FileIO(path) as file:
            content = file.readall()
        self._bytes += len(content)
        self._remember(KeptFile(path, status, content))


_INSTALLED: list[WrittenFiles] = []
"""Global like the hook: a hook cannot be removed, and each one slows every event down."""


@cache
def _add_hook() -> None:
    """Add the only hook of the process."""
    sys.addaudithook(_receive)


@contextmanager
def undone_file_changes() -> Iterator[None]:
    """Undo the block's changes to files; no effect where they cannot be seen."""
    files = _INSTALLED[-1] if _INSTALLED else None
    if files is None:
        yield
        return
    files.begin()
    try:
        yield
    finally:
        files.end()
        files.restore()


def _receive(event: str, arguments: tuple[Any, ...]) -> None:
    for files in _INSTALLED:
        files.receive(event, arguments)
