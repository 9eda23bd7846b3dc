"""Replaces files in one step: a reader sees the old content or the new one, never half of it.

The new content is written beside the file and moved over it.  A process that dies in between leaves
the file as it was.  Beside it stays a hidden file whose name ends in `UNFINISHED`.
"""

from __future__ import annotations

import errno
from pathlib import Path

from pytest_evosearch.core.isolation import os

UNFINISHED = ".unfinished"
"""Ending of the names of unfinished files, which are never read."""


def write_atomically(path: Path, text: str) -> bool:
    """Write `text` to `path` in one step, and create missing folders above it.

    Return False when the file had this text already.
    """
    data = text.encode("utf-8", "surrogateescape")  # names of files in a locale of ASCII
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_content(path, data)
    return True


def move(source: Path, target: Path) -> None:
    """Move a file to `target` in one step, even to another file system."""
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace_content(target, source.read_bytes(), _mode_of(source))
        source.unlink()


def replace_content(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write `content` to `path` in one step; the folder must exist.

    The file gets `mode`.  Without one it keeps its own mode; a new file gets what the umask gives.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        descriptor = os.open(unfinished, _FLAGS, 0o666)
        try:
            _write_all(descriptor, content)
        finally:
            os.close(descriptor)
        mode = _mode_of(path) if mode is None else mode
        if mode is not None:
            os.chmod(unfinished, mode)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _mode_of(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        return None
