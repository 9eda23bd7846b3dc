"""A pytest plugin for verification runs: notes which files of the project they create.

An application that stores what is uploaded stores it in every run of every test.  Whoever
looks for tests wants no pictures beside the code, so the files are noted while the runs go on
(some tests hold only while a file of an earlier run lies there, which verification should see)
and removed after the last one (`write.tidying`).

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_TRACES   file to which a path is appended for each file and folder that is
                              about to be created below the working directory
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_PRIVATE = ("__pycache__",)
"""Folders of the tools; those that begin with a dot are theirs, too."""

# The application may replace them.
_exists, _absolute, _decoded = os.path.lexists, os.path.abspath, os.fsdecode
_open, _write, _close = os.open, os.write, os.close


def created_path(event: str, arguments: tuple[Any, ...]) -> object:
    """Return what an audit event is about to create, None for anything else."""
    if event == "open":
        path, _mode, flags = arguments
        return path if isinstance(flags, int) and flags & os.O_CREAT else None
    if event in ("os.mkdir", "sqlite3.connect"):
        return arguments[0]
    return arguments[1] if event == "os.rename" else None


class Traces:
    """Hears of every file that the process opens (PEP 578)."""

    def __init__(self, log: str, root: str) -> None:
        self._log = log
        self._root = f"{root}{os.sep}"

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a path that is not there yet; this is called for every event of the process."""
        created = created_path(event, arguments)
        if not isinstance(created, (str, bytes, os.PathLike)):
            return
        path = _absolute(_decoded(created))
        if self._is_of_project(path) and not _exists(path):
            descriptor = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            _write(descriptor, os.fsencode(path) + b"\0")
            _close(descriptor)

    def _is_of_project(self, path: str) -> bool:
        if not path.startswith(self._root):
            return False
        parts = path[len(self._root) :].split(os.sep)  # noqa: PTH206 - no objects: this is hot
        return not any(part.startswith(".") or part in _PRIVATE for part in parts)


if "EVOSEARCH_VERIFY_TRACES" in os.environ:  # now: the application is imported by conftest.py
    sys.addaudithook(Traces(os.environ["EVOSEARCH_VERIFY_TRACES"], str(Path.cwd())))
