"""Entries of folders that a guard has copied: what `os.scandir` yields there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_evosearch.core.isolation import os


class CopiedEntry:
    """An entry of `os.scandir` for a file with a copy."""

    def __init__(self, path: str, copy: str) -> None:
        self.path = path
        self.name = os.path.basename(path)
        self._copy = copy

    def __fspath__(self) -> str:
        """Return the path that the application knows."""
        return self.path

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return True: it is a file."""
        return True

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return False: folders have no copies."""
        return False

    def is_symlink(self) -> bool:
        """Return False: a copy is made of the target of a link."""
        return False

    def is_junction(self) -> bool:
        """Return False: it is no junction of Windows."""
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return the status of the copy."""
        return os.stat(self._copy)

    def inode(self) -> int:
        """Return the inode number of the copy."""
        return self.stat().st_ino


class Scan:
    """The result of `os.scandir`: an iterator that can be closed."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self._entries = iter(entries)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return next(self._entries)

    def close(self) -> None:
        """End the iteration."""
        self._entries = iter(())
