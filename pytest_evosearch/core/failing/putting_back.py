"""Puts back what a run of a project changed before it died: from the journal that it kept."""

from __future__ import annotations

import shutil
from contextlib import suppress
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

OWNER, JOURNAL, CALL, CREATED = "owner", "journal", "call", "created"
"""Files in the folder of a run, as `core.safekeeping` describes them."""


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
    return _put_back_journal(folder, JOURNAL)


def _put_back_journal(folder: Path, journal: str, aside: Path | None = None) -> list[str]:
    found = []
    for entry in reversed(entries_of(folder / journal)):
        with suppress(OSError):
            if put_back(entry, folder, aside):
                found.append(entry.path)
    return found


def _put_back_run(folder: Path) -> list[str]:
    try:
        owner = os.open(folder / OWNER, os.O_RDWR)
    except OSError:
        return []
    try:
        if not is_locked_here(owner):
            return []
        home = home_of(folder)
        if os.read(owner, len(home) + 1) != home:
            remove_run(folder)
            return []
        aside = folder.parent.parent / REPLACED
        shutil.rmtree(aside, ignore_errors=True)
        found = [path for one in (CALL, JOURNAL) for path in _put_back_journal(folder, one, aside)]
        for path in sorted(_created(folder / CREATED), reverse=True):  # files before their folders
            with suppress(OSError):
                _clear(path, aside)
        remove_run(folder)
        return found
    finally:
        os.close(owner)


def home_of(folder: Path) -> bytes:
    """Return what the owner of a folder has written: where the folder is."""
    return os.fsencode(os.path.realpath(folder))


def remove_run(folder: Path) -> None:
    """Remove the folder of a run: first the journals, which name the copies."""
    for name in (CALL, JOURNAL, CREATED):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()


def entries_of(journal: Path) -> list[Entry]:
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


def put_back(entry: Entry, folder: Path, aside: Path | None = None) -> bool:
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


def stamp_of(path: Path) -> tuple[int, int]:
    """Return what tells whether a file has changed: its size and time; zeros for none."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)


def _complete(entry: Entry, path: Path) -> None:
    """Do what the dead run was about to do with a file, unless the file has changed since then."""
    if entry.times != stamp_of(path):
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
