"""Brings the files in an application's own temporary folders back."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.sqlite_connections import is_temporary

SIZE_LIMIT = 8 << 20
"""Bytes of files that are kept in memory (8 MiB); a larger folder is left alone."""

_FOLDER_WORDS = ("UPLOAD", "MEDIA_FOLDER", "MEDIA_DIR", "STORAGE_DIR", "STORAGE_FOLDER", "DATA_DIR")
_DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db", "-journal", "-wal", "-shm")
"""Databases have a keeper of their own."""


class FilesKeeper:
    """Keeps the content of a few small folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._contents: dict[Path, bytes] = {}
        self._stamps: dict[Path, tuple[int, int]] = {}

    @property
    def description(self) -> str:
        """``files in 1 folder``."""
        count = len(self._folders)
        return f"files in {count} folder{'s' if count != 1 else ''}"

    def snapshot(self) -> None:
        """Read every file."""
        self._contents = {path: path.read_bytes() for path in self._files()}
        self._stamps = {path: _stamp(path) for path in self._contents}

    def restore(self) -> None:
        """Remove new files and bring back the content of changed ones."""
        present = {path: _stamp(path) for path in self._files()}
        if present == self._stamps:
            return
        for path in present:
            if path not in self._contents:
                with suppress(OSError):
                    os.unlink(path)
        for path, content in self._contents.items():
            if present.get(path) != self._stamps[path]:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self._stamps[path] = _stamp(path)

    def close(self) -> None:
        """Let go of what was read."""
        self._contents, self._stamps = {}, {}

    def _files(self) -> Iterator[Path]:
        for folder in self._folders:
            yield from walk_files(folder)


def find_folders(app: Any) -> list[Path]:
    """Return the small folders for uploads in the configuration that lie in the temporary one."""
    folders = []
    for key, value in app.config.items():
        if not isinstance(value, (str, os.PathLike)) or not value:
            continue
        if any(word in key.upper() for word in _FOLDER_WORDS):
            folder = Path(os.path.realpath(value))
            if folder.is_dir() and is_temporary(folder) and _size(walk_files(folder)) < SIZE_LIMIT:
                folders.append(folder)
    return sorted(set(folders))


def walk_files(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` in a stable order, databases left out."""
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if not name.endswith(_DATABASE_SUFFIXES):
                yield Path(directory) / name


def _size(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _stamp(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size
