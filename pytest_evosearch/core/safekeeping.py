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

from pytest_evosearch.core.atomic import UNFINISHED
from pytest_evosearch.core.atomic import move
from pytest_evosearch.core.folder_names import KEPT
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import is_locked_here

PLACE = f"{KEPT}/unfinished"
"""Where the folders of runs are, below the root folder of the project."""

REPLACED = "replaced"
"""The folder beside `PLACE` for files that the last putting back replaced."""

SIDE_FILES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite puts beside a database; without them content may be lost."""

SHARED = "-shm"
"""Ending of a file that processes map into memory; SQLite creates it again."""

CREATED = "created"

_OWNER, _JOURNAL, _CALL = "owner", "journal", "call"


@dataclass(frozen=True)
class Entry:
    """One thing to restore.

    `kind` is ``file`` (`content` names the copy), ``link`` (`content` says where it leads),
    ``folder``, ``moved`` (`content` says where the folder is now), ``nothing`` (nothing was at
    `path`) or ``scratch`` (a folder of the run, which is removed with its content).  Two kinds
    finish what a run began: ``pending`` moves the file at `content` to `path`, and ``obsolete``
    removes the file at `path`.
    """

    kind: str
    path: str
    content: str = ""
    mode: int = 0
    times: tuple[int, int] = (0, 0)

    def dump(self) -> bytes:
        """Return the entry as one line."""
        return json.dumps([self.kind, self.path, self.content, self.mode, self.times]).encode()

    @classmethod
    def parse(cls, line: bytes) -> Entry:
        """Read a line of a journal; raise ValueError for an incomplete one."""
        kind, path, content, mode, times = json.loads(line)
        return cls(kind, path, content, mode, tuple(times))


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
                self._append(_JOURNAL, known)
            except OSError:
                return None
        return folder / known.content

    def keep_absent(self, path: Path) -> None:
        """Note that nothing is at `path`, where the run may create a file."""
        self._note(_JOURNAL, Entry("nothing", str(path)))

    def keep_scratch(self, path: Path) -> None:
        """Note a folder that the run creates for itself, and that is removed with the run."""
        self._note(_JOURNAL, Entry("scratch", str(path)))

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
                self._append(_JOURNAL, *entries)

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
        self._note(_CALL, entry)
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
            os.truncate(self._folder / _CALL, 0)
        if os.getpid() != self._process:  # only this child knows its copies
            self._drop_copies()

    def undo_call(self) -> None:
        """Undo what a child of this process changed before it died in the middle of a test."""
        if self._folder is not None and os.path.exists(self._folder / _CALL):
            for entry in reversed(_entries(self._folder / _CALL)):
                with suppress(OSError):
                    _put_back(entry, self._folder)
            with suppress(OSError):
                os.truncate(self._folder / _CALL, 0)

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
        self._owner = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT, 0o600)
        is_locked_here(self._owner)  # first: a run that starts beside takes no living one for dead
        os.write(self._owner, _home(folder))
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
        entries = _entries(self._folder / _JOURNAL)
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
        _remove_run(folder)
        with suppress(OSError):
            os.close(self._owner)


def place_below(root: Path) -> Path:
    """Return the folder in which runs of the project in `root` keep their copies."""
    return root / PLACE


def put_back_all(place: Path) -> list[str]:
    """Restore what dead runs changed; return the restored paths."""
    found: list[str] = []
    with suppress(OSError):
        for folder in sorted(place.iterdir(), key=lambda one: one.name):
            found += _put_back_run(folder)
    with suppress(OSError):
        place.rmdir()
    return list(dict.fromkeys(found))


def put_back_from(folder: Path) -> list[str]:
    """Restore what the journal in a folder of this run names; return the restored paths."""
    return _put_back_journal(folder, _JOURNAL)


def _put_back_journal(folder: Path, journal: str, aside: Path | None = None) -> list[str]:
    found = []
    for entry in reversed(_entries(folder / journal)):
        with suppress(OSError):
            if _put_back(entry, folder, aside):
                found.append(entry.path)
    return found


def _put_back_run(folder: Path) -> list[str]:
    try:
        owner = os.open(folder / _OWNER, os.O_RDWR)
    except OSError:
        return []
    try:
        if not is_locked_here(owner):
            return []
        home = _home(folder)
        if os.read(owner, len(home) + 1) != home:
            _remove_run(folder)
            return []
        aside = folder.parent.parent / REPLACED
        shutil.rmtree(aside, ignore_errors=True)
        found = [
            path for one in (_CALL, _JOURNAL) for path in _put_back_journal(folder, one, aside)
        ]
        for path in sorted(_created(folder / CREATED), reverse=True):  # files before their folders
            with suppress(OSError):
                _clear(path, aside)
        _remove_run(folder)
        return found
    finally:
        os.close(owner)


def _home(folder: Path) -> bytes:
    return os.fsencode(os.path.realpath(folder))


def _remove_run(folder: Path) -> None:
    """Remove the folder of a run: first the journals, which name the copies."""
    for name in (_CALL, _JOURNAL, CREATED):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()


def _entries(journal: Path) -> list[Entry]:
    """Read a journal; skip an incomplete last line, because its change never happened."""
    found = []
    with suppress(OSError):
        for line in journal.read_bytes().split(b"\n"):
            with suppress(ValueError):
                found.append(Entry.parse(line))
    return found


def _created(log: Path) -> set[Path]:
    with suppress(OSError):
        return {Path(os.fsdecode(name)) for name in log.read_bytes().split(b"\0")[:-1]}
    return set()


def _file_entry(path: Path, copy: str) -> Entry:
    status = os.stat(path)
    times = (status.st_atime_ns, status.st_mtime_ns)
    return Entry("file", str(path), copy, stat.S_IMODE(status.st_mode), times)


def _put_back(entry: Entry, folder: Path, aside: Path | None = None) -> bool:
    """Put back one thing; say whether something different was in its place.

    What was in its place moves to the folder `aside`, if there is one.
    """
    path = Path(entry.path)
    if entry.kind == "scratch":
        shutil.rmtree(path, ignore_errors=True)
        return False
    if entry.kind in ("obsolete", "pending"):
        _complete(entry, path)
        return False
    if entry.kind == "nothing":
        return _clear(path, aside)
    if entry.kind == "file":
        return _put_back_file(entry, folder / entry.content, aside)
    if entry.kind == "moved":
        if not os.path.isdir(entry.content) or os.path.lexists(path):
            return False
        os.rename(entry.content, path)
        return True
    if entry.kind == "link":
        if os.path.islink(path) and os.readlink(path) == entry.content:
            return False
        _clear(path, aside)
        os.symlink(entry.content, path)
        return True
    if os.path.isdir(path):
        return False
    os.makedirs(path)
    os.chmod(path, entry.mode)
    return True


def _step(kind: str, path: Path, content: str = "") -> Entry:
    return Entry(kind, str(path), content, times=_stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    """Return what tells whether a file has changed: its size and time; zeros for none."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)


def _complete(entry: Entry, path: Path) -> None:
    """Do what the dead run was about to do with a file, unless the file has changed since then."""
    if entry.times != _stamp(path):
        return
    if entry.kind == "obsolete":
        path.unlink(missing_ok=True)
    else:
        os.makedirs(path.parent, exist_ok=True)
        move(Path(entry.content), path)


def _put_back_file(entry: Entry, copy: Path, aside: Path | None) -> bool:
    path = Path(entry.path)
    is_other = not _is_same(path, copy)
    if is_other:
        os.makedirs(path.parent, exist_ok=True)
        fresh = path.with_name(f".{path.name}{UNFINISHED}")
        shutil.copyfile(copy, fresh)
        if aside is not None and os.path.lexists(path):
            _set_aside(path, aside)
        os.replace(fresh, path)
    os.chmod(path, entry.mode)
    os.utime(path, ns=entry.times)
    return is_other


def _is_same(path: Path, copy: Path) -> bool:
    try:
        with path.open("rb") as one, copy.open("rb") as other:
            while True:
                first, second = one.read(1 << 20), other.read(1 << 20)
                if first != second:
                    return False
                if not first:
                    return True
    except OSError:
        return False


def _clear(path: Path, aside: Path | None) -> bool:
    """Remove what is at `path`, a folder only when it is empty; say whether there was something."""
    if not os.path.lexists(path):
        return False
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif aside is not None:
        _set_aside(path, aside)
    else:
        os.unlink(path)
    return True


def _set_aside(path: Path, aside: Path) -> None:
    aside.mkdir(parents=True, exist_ok=True)
    number = sum(1 for _ in aside.iterdir())
    shutil.move(path, aside / (f"{number}-{path.name}" if number else path.name))


def _is_below(name: str, folder: str | Path) -> bool:
    return name.startswith(os.path.join(os.path.realpath(folder), ""))
