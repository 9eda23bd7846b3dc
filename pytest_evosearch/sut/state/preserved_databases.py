"""Restores the SQLite files of a project after changes by fixtures and search.

Some suites use the developer's own database by mistake: their fixtures choose another one after the
extension has read the configuration.

The content of a database file is copied to the disk before it is opened (`core.safekeeping`).
SQLite's files beside it are copied, too. So the content is restored even when this process dies.

New files in the project are removed: session fixtures may leave a database, and a run that ends
inside a transaction leaves a journal beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import SHARED
from pytest_evosearch.core.safekeeping import SIDE_FILES
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.sut.state.file_changes import times_of
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

COARSE_CLOCK_SECONDS = 0.05
"""Seconds by which folder times may be behind the clock."""

SIZE_LIMIT = 256 << 20
"""Most bytes of a database in memory (256 MiB); larger ones are copied on disk."""


@dataclass(frozen=True)
class _File:
    """Former content of a file, in `content` or in the file `copy`; both None for no file."""

    path: Path
    content: bytes | None = None
    copy: Path | None = None
    mode: int | None = None
    times: tuple[int, int] | None = None

    @classmethod
    def of(cls, path: Path, copy: Path | None) -> _File | None:
        """Read a file; return None when its content cannot be kept."""
        try:
            status = path.stat()
            content = path.read_bytes() if status.st_size <= SIZE_LIMIT else None
        except FileNotFoundError:
            return cls(path)
        except OSError:
            return None
        if content is None and copy is None:
            return None
        return cls(path, content, copy, status.st_mode & 0o7777, times_of(status))

    def put_back(self) -> None:
        """Replace the file, so that an open connection keeps its own content."""
        content = self._content()
        if content is None:
            self.path.unlink(missing_ok=True)
            return
        with suppress(OSError):
            if self.path.read_bytes() == content:
                return
        replace_content(self.path, content, self.mode)
        if self.times is not None:
            os.utime(self.path, ns=self.times)

    def _content(self) -> bytes | None:
        if self.content is None and self.copy is not None:
            return self.copy.read_bytes()
        return self.content


@contextmanager
def preserved_databases(safe: Safekeeping | None = None) -> Iterator[Callable[[], None]]:
    """Keep the bytes of every file that is opened as a database, and restore them.

    Yields a function that restores them at once, for code that cannot wait for the end. Works
    inside `sqlite_connections.watched_connections`; otherwise nothing is kept.
    """
    kept = _Kept(safe)
    connections = active_connections()
    if connections is not None:
        connections.listeners.append(kept.keep)
    try:
        yield kept.put_back
    finally:
        if connections is not None:
            connections.listeners.remove(kept.keep)
        kept.put_back()


class _Kept:
    """The databases of one run."""

    def __init__(self, safe: Safekeeping | None) -> None:
        self._safe = safe
        self._began = time.time() - COARSE_CLOCK_SECONDS
        self._originals: dict[Path, list[_File]] = {}
        self._folders: dict[Path, None] = {}
        """Folders that were created for a database."""

    def keep(self, path: Path) -> None:
        """Keep the content of `path` and of files beside it, before the first opening."""
        if path in self._originals:
            return
        if path.exists():
            self._keep_present(path)
        elif self._safe is not None and self._safe.covers(path):
            self._keep_absent(path, self._safe)

    def _keep_present(self, path: Path) -> None:
        safe = self._safe
        if safe is not None:
            safe.keep_database(path)
        copy = safe.keep_file(path) if safe is not None else None
        database = _File.of(path, copy)
        if database is not None:
            names = _beside(path)
            named = [one for one in names if not (one.name.endswith(SHARED) and one.exists())]
            beside = [_File.of(one, None) for one in named]
            self._originals[path] = [database, *(one for one in beside if one is not None)]

    def _keep_absent(self, path: Path, safe: Safekeeping) -> None:
        if _is_fresh(path.parent, self._began):
            self._folders[path.parent] = None
            safe.keep_absent(path.parent)
        files = [path, *_beside(path)]
        for file in files:
            safe.keep_absent(file)
        self._originals[path] = [_File(file) for file in files]

    def put_back(self) -> None:
        """Restore everything."""
        for files in self._originals.values():
            for file in reversed(files):  # a journal without its database does no harm
                with suppress(OSError):
                    file.put_back()
        for folder in self._folders:
            with suppress(OSError):  # the folder contains something else
                folder.rmdir()


def _beside(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in SIDE_FILES]


def _is_fresh(folder: Path, began: float) -> bool:
    """Say whether a folder was created for a database a moment ago."""
    try:
        return folder.stat().st_ctime >= began and not any(folder.iterdir())
    except OSError:
        return False
