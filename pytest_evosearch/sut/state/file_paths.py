"""Names of files that the application writes: links, folders, databases."""

from __future__ import annotations

import re
from glob import escape
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

MOST_NEIGHBOURS = 1000
"""Most files in a folder that written tests may list before and after each test."""

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


def patterns_of(path: str, root: str) -> list[str]:
    """Return patterns of a new file below `root`, or of its folder if that is meant for such."""
    folder, own = os.path.dirname(path), _escaped(path, root)
    if not os.path.isdir(folder):  # it exists in the sandbox alone
        return [own]
    names = os.listdir(folder)
    is_for_such = len(names) <= MOST_NEIGHBOURS and as_prefix(folder) != root
    if is_for_such and not any(name.endswith(".py") for name in names):
        return [f"{_escaped(folder, root)}/**/*"]
    return [own, f"{own}/**/*"] if os.path.isdir(path) else [own]


def _escaped(path: str, root: str) -> str:
    return escape(Path(path).relative_to(root).as_posix())


def is_link(folder: str, name: str) -> bool:
    """Say whether an entry of a folder is a symbolic link."""
    return os.path.islink(f"{folder}{os.sep}{name}")


def is_database(path: str) -> bool:
    """Say whether SQLite has opened the file, or creates it beside an opened one."""
    connections = active_connections()
    return connections is not None and Path(_SIDE_FILE.sub("", path)) in connections.files
