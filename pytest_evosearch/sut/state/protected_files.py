"""Decides which files and folders an application may not change, because a person may miss them."""

from __future__ import annotations

import errno
import re

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import OWNER
from pytest_evosearch.core.scratch import PREFIX as SCRATCH
from pytest_evosearch.sut.state.file_changes import status_of

IMPORTING_SECONDS = 60.0
"""Seconds before the run begins to watch files.

While its modules are imported, the project may put files into the temporary folder.
"""

_MADE_AGAIN = re.compile(r"cache|session|^te?mp$|^logs?$", re.IGNORECASE)
"""Folders for data that a project can recreate (flask_session)."""


class ProtectedFiles:
    """What is there from before the run, or belongs to other programs."""

    def __init__(self, root: str, temporary: str, started: float) -> None:
        self._root = root
        self._temporary = temporary
        self._started = started
        self.refusals: dict[str, int] = {}
        """Files that the application was kept from changing -> how many times."""

    def is_precious(self, path: str, status: os.stat_result) -> bool:
        """Say whether a person may miss the object at `path`: the run has not created it."""
        if status.st_mtime >= self._started:
            return False
        if not path.startswith(self._root):
            return not path.startswith(self._temporary)
        folders = path.removeprefix(self._root).split(os.sep)[:-1]
        return not any(map(_MADE_AGAIN.search, folders))

    def keep_for_others(self, path: str | None) -> None:
        """Refuse to remove the temporary folder, and contents of other programs."""
        if path is not None and self.is_of_others(path):
            self.refuse(path, "remove")

    def is_of_others(self, path: str) -> bool:
        """Say whether other programs, or this run, may need the object at `path`."""
        if not path.startswith(self._temporary):
            return self._temporary.startswith(f"{path}{os.sep}")
        if f"{path}{os.sep}".startswith(self._root):
            return False
        top, *below = path.removeprefix(self._temporary).split(os.sep)
        if top.startswith(SCRATCH) and below in ([], [OWNER]):
            return True
        status = status_of(path)
        is_new = status is None or status.st_mtime >= self._started - IMPORTING_SECONDS
        return not is_new and not any(map(_MADE_AGAIN.search, (top, *below)[:-1]))

    def refuse_outside(self, path: str, status: os.stat_result) -> None:
        """Refuse to change an object outside the project that was there before the run."""
        if not path.startswith(self._root) and self.is_precious(path, status):
            self.refuse(path)

    def refuse(self, path: str, what: str = "change") -> None:
        """Count the attempt, and raise PermissionError, which stops it."""
        attempt = f"{what} {path.removeprefix(self._root)}"
        self.refusals[attempt] = self.refusals.get(attempt, 0) + 1
        raise PermissionError(
            errno.EACCES, "pytest-evosearch protects files that it cannot restore", path
        )
