"""Keeps copies of what a run changes in a project, so that a later run can put it back.

A process that is killed puts nothing back.  So what it is about to change is copied first, into a
folder of the run:

    owner       locked while the run lives (`core.scratch`); it holds the path of this folder, as a
                copy of the project has the folder, too, and must not change the first project
    journal     what the whole run changes: one JSON object a line, written after the copy
    call        what the present test changes; emptied as soon as that is undone
    created     what runs of the written tests have created: paths, a zero byte follows each
    content-*   the copies

People may change the project after a run has died.  So a file that makes way for an older one goes
into the folder `REPLACED`.

The copies protect against the death of the process, not of the machine.  So no write waits for the
disk.
"""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.failing.putting_back import CALL
from pytest_evosearch.core.failing.putting_back import JOURNAL
from pytest_evosearch.core.failing.putting_back import OWNER
from pytest_evosearch.core.failing.putting_back import Entry
from pytest_evosearch.core.failing.putting_back import entries_of
from pytest_evosearch.core.failing.putting_back import home_of
from pytest_evosearch.core.failing.putting_back import place_below
from pytest_evosearch.core.failing.putting_back import put_back
from pytest_evosearch.core.failing.putting_back import remove_run
from pytest_evosearch.core.failing.putting_back import stamp_of
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import is_locked_here

SIDE_FILES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite puts beside a database; without them content may be lost."""

SHARED = "-shm"
"""Ending of a file that processes map into memory; SQLite creates it again."""


@dataclass
class Safekeeping:
    """What one run keeps of the project in `root`; nothing where `root` is read-only."""

    root: Path
    _folder: Path | None = None
    _owner: int = -1
    _kept: dict[str, Entry] = field(default_factory=dict)
    _copies: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    """Copies of files of the present test: path to stamp and name of the copy."""
    _number: int = 0
    _process: int = field(default_factory=os.getpid)
    _notes: bool = False
    """Whether the journal of the present test has entries."""

    @contextmanager
    def opened(self) -> Iterator[Safekeeping]:
        """Keep a folder inside the block, which a later run finds if this process dies.

        At the end of the block the folder is removed.
        """
        with suppress(OSError):
            self._folder = self._made(place_below(self.root))
        try:
            yield self
        finally:
            self._forget()

    @property
    def folder(self) -> Path | None:
        """Return the folder of this run; None where there is none."""
        return self._folder

    def covers(self, path: str | Path) -> bool:
        """Say whether a file is worth a copy; one in the temporary folder is not."""
        name = os.path.realpath(path)
        return _is_below(name, self.root) or not _is_below(name, tempfile.gettempdir())

    def keep_file(self, path: Path) -> Path | None:
        """Copy a file that the run may change, once, and return the copy.

        None means that there is no copy: the file cannot be put back if the process dies.
        """
        name = str(path)
        folder = self._folder
        if folder is None or not self.covers(path):
            return None
        known = self._kept.get(name) or self._kept_by_child(name)
        if known is None:
            try:
                known = self._kept[name] = _file_entry(path, self._copied(path, folder))
                self._append(JOURNAL, known)
            except OSError:
                return None
        return folder / known.content

    def keep_absent(self, path: Path) -> None:
        """Note that nothing is at `path`, where the run may create a file."""
        self._note(JOURNAL, Entry("nothing", str(path)))

    def keep_scratch(self, path: Path) -> None:
        """Note a folder that the run creates for itself, and that is removed with the run."""
        self._note(JOURNAL, Entry("scratch", str(path)))

    def keep_moves(self, moves: Sequence[tuple[Path, Path]], obsolete: Sequence[Path]) -> None:
        """Note which files are about to be moved, and which are about to be removed.

        If this process dies now, the next run completes these steps, in this order.  It leaves a
        file that was changed in the meantime.
        """
        entries = [_step("pending", target, str(source)) for source, target in moves]
        entries += [_step("obsolete", path) for path in obsolete]
        entries.reverse()  # a journal is read from its end
        if entries and self._folder is not None:
            with suppress(OSError):
                self._append(JOURNAL, *entries)

    def keep_database(self, path: Path) -> bool:
        """Copy a SQLite file and its side files; say whether all copies succeeded."""
        safe = self.keep_file(path) is not None
        for ending in SIDE_FILES:
            beside = path.with_name(path.name + ending)
            if ending == SHARED and beside.exists():
                continue
            if beside.exists():
                safe = self.keep_file(beside) is not None and safe
            elif str(beside) not in self._kept:
                self._kept[str(beside)] = Entry("nothing", str(beside))
                self.keep_absent(beside)
        return safe

    def note_call(self, entry: Entry) -> None:
        """Note one thing that the present test is about to change; the order of notes counts."""
        self._note(CALL, entry)
        self._notes = True

    def copy_for_call(self, path: str, status: os.stat_result, content: bytes) -> str | None:
        """Return the name of a copy of a file as it is now; None when it cannot be copied."""
        if self._folder is None:
            return None
        stamp = (status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size)
        known = self._copies.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        name = self._next_name()
        try:
            with io.FileIO(self._folder / name, "w") as file:
                file.write(content)
        except OSError:
            return None
        self._copies[path] = (stamp, name)
        return name

    def forget_call(self) -> None:
        """Forget what the present test changed, because it has been undone."""
        if not self._notes or self._folder is None:
            return
        self._notes = False
        with suppress(OSError):
            os.truncate(self._folder / CALL, 0)
        if os.getpid() != self._process:  # only this child knows its copies
            self._drop_copies()

    def undo_call(self) -> None:
        """Undo what a child of this process changed before it died in the middle of a test."""
        if self._folder is not None and os.path.exists(self._folder / CALL):
            for entry in reversed(entries_of(self._folder / CALL)):
                with suppress(OSError):
                    put_back(entry, self._folder)
            with suppress(OSError):
                os.truncate(self._folder / CALL, 0)

    def _made(self, place: Path) -> Path:
        place.mkdir(parents=True, exist_ok=True)
        number = 0
        while True:
            folder = place / f"{self._process}-{number}"
            try:
                folder.mkdir()
                break
            except FileExistsError:
                number += 1
        self._owner = os.open(folder / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
        is_locked_here(self._owner)  # first: a run that starts beside takes no living one for dead
        os.write(self._owner, home_of(folder))
        return folder

    def _next_name(self) -> str:
        self._number += 1
        return f"content-{os.getpid()}-{self._number}"

    def _copied(self, path: Path, folder: Path) -> str:
        name = self._next_name()
        shutil.copyfile(path, folder / name)
        return name

    def _note(self, journal: str, entry: Entry) -> None:
        if self._folder is not None:
            with suppress(OSError):
                self._append(journal, entry)

    def _append(self, journal: str, *entries: Entry) -> None:
        assert self._folder is not None
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(self._folder / journal, flags, 0o600)
        try:
            os.write(descriptor, b"".join(entry.dump() + b"\n" for entry in entries))
        finally:
            os.close(descriptor)

    def _kept_by_child(self, name: str) -> Entry | None:
        """Return the entry for a file that a forked child copied.

        The file itself may be changed already.
        """
        assert self._folder is not None
        entries = entries_of(self._folder / JOURNAL)
        return next((one for one in entries if one.path == name and one.kind == "file"), None)

    def _drop_copies(self) -> None:
        assert self._folder is not None
        for _stamp, name in self._copies.values():
            with suppress(OSError):
                os.unlink(self._folder / name)
        self._copies.clear()

    def _forget(self) -> None:
        """Remove the folder of the run; only the process that made it does so."""
        if self._folder is None or os.getpid() != self._process:
            return
        folder, self._folder = self._folder, None
        remove_run(folder)
        with suppress(OSError):
            os.close(self._owner)


def _file_entry(path: Path, copy: str) -> Entry:
    status = os.stat(path)
    times = (status.st_atime_ns, status.st_mtime_ns)
    return Entry("file", str(path), copy, stat.S_IMODE(status.st_mode), times)


def _step(kind: str, path: Path, content: str = "") -> Entry:
    return Entry(kind, str(path), content, times=stamp_of(path))


def _is_below(name: str, folder: str | Path) -> bool:
    return name.startswith(os.path.join(os.path.realpath(folder), ""))
