"""Names of files that the application writes: links, folders, databases."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

_SIDE_FILE = re.compile("-(wal|shm|journal)$")


def followed(path: object) -> str | None:
    """Return the real path of an opened file, None for descriptors."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return None
    return os.path.realpath(os.fsdecode(path))


def itself(path: object) -> str | None:
    """Return the path of a link itself, not of its target."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return None
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return os.path.join(os.path.realpath(folder), name)


def as_prefix(folder: str | Path) -> str:
    """Return what the real paths of all files in a folder begin with."""
    return os.path.join(os.path.realpath(folder), "")


def is_link(folder: str, name: str) -> bool:
    """Say whether an entry of a folder is a symbolic link."""
    return os.path.islink(f"{folder}{os.sep}{name}")


def is_database(path: str) -> bool:
    """Say whether SQLite has opened the file, or creates it beside an opened one."""
    connections = active_connections()
    return connections is not None and Path(_SIDE_FILE.sub("", path)) in connections.files
