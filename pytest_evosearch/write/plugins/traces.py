"""A pytest plugin for verification runs: notes the files that they create.

An application that stores uploads does so in every run of every test. A run that is cut off may
leave a database in a fixed place, which makes the project's own fixtures fail. So created files are
noted during the runs. They stay until the last run, because verification should notice tests that
need a file of an earlier run. They are removed after it, or before a run that shows whether other
runs caused a failure (`write.verification.tidying`).

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_TRACES   file to which a path is appended for each file and folder that is
                              about to be created; a zero byte follows each
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# The application may replace these functions.
_exists, _absolute, _decoded = os.path.lexists, os.path.abspath, os.fsdecode
_open, _write, _close = os.open, os.write, os.close


def created_path(event: str, arguments: tuple[Any, ...]) -> object:
    """Return the path that an audit event is about to create, None for other events."""
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
        """Note a path that does not exist yet; this is called for every audit event."""
        created = created_path(event, arguments)
        if not isinstance(created, (str, bytes, os.PathLike)):
            return
        path = _absolute(_decoded(created))
        if not self._is_of_tool(path) and not _exists(path):
            descriptor = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            _write(descriptor, os.fsencode(path) + b"\0")
            _close(descriptor)

    def _is_of_tool(self, path: str) -> bool:
        # Parts of the project's own path do not count as folders of tools.
        inner = path.removeprefix(self._root)
        parts = inner.split(os.sep)  # noqa: PTH206 - no objects: this is called often
        # Prefixes of folders that belong to tools, or that tools clean up themselves.
        return any(
            part.startswith((".", "__pycache__", "pytest-of-", "evosearch-")) for part in parts
        )


if "EVOSEARCH_VERIFY_TRACES" in os.environ:  # now, because conftest.py imports the application
    sys.addaudithook(Traces(os.environ["EVOSEARCH_VERIFY_TRACES"], str(Path.cwd())))
