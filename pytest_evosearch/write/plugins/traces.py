"""A pytest plugin for verification runs: notes which files they create.

An application that stores what is uploaded stores it in every run of every test, and a database
in a fixed place that a run leaves behind when it is cut off makes the project's own fixtures
fail.  So what is created is noted while the runs go on (some tests hold only while a file of an
earlier run lies there, which verification should see) and removed after the last one, or before a
run that is to show whether others were to blame (`write.verification.tidying`).

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_TRACES   file to which a path is appended for each file and folder that is
                              about to be created; a zero byte follows each
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# The application may replace them.
_exists, _absolute, _decoded = os.path.lexists, os.path.abspath, os.fsdecode
_open, _write, _close = os.open, os.write, os.close


def created_path(event: str, arguments: tuple[Any, ...]) -> object:
    """Return what an audit event is about to create, None for anything else."""
    if event == "open":
        path, _mode, flags = arguments
        return path if isinstance(flags, int) and flags & os.O_CREAT else None
    if event == "os.mkdir":
        return arguments[0]
    if event == "sqlite3.connect":
        return None if str(arguments[0]).startswith((":", "file:")) else arguments[0] or None
    return arguments[1] if event == "os.rename" else None


class Traces:
    """Sees every file that the process opens (PEP 578)."""

    def __init__(self, log: str, root: str) -> None:
        self._log = log
        self._root = f"{root}{os.sep}"

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a path that is not there yet; this is called for every event of the process."""
        created = created_path(event, arguments)
        if not isinstance(created, (str, bytes, os.PathLike)):
            return
        path = _absolute(_decoded(created))
        if not self._is_of_tool(path) and not _exists(path):
            descriptor = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            _write(descriptor, os.fsencode(path) + b"\0")
            _close(descriptor)

    def _is_of_tool(self, path: str) -> bool:
        # Wherever the project lies, it is not the tools'.
        inner = path.removeprefix(self._root)
        parts = inner.split(os.sep)  # noqa: PTH206 - no objects: this is called often
        # How the names of folders begin in which tools keep what is theirs, or tidy up by
        # themselves.
        return any(
            part.startswith((".", "__pycache__", "pytest-of-", "evosearch-")) for part in parts
        )


if "EVOSEARCH_VERIFY_TRACES" in os.environ:  # now: the application is imported by conftest.py
    sys.addaudithook(Traces(os.environ["EVOSEARCH_VERIFY_TRACES"], str(Path.cwd())))
