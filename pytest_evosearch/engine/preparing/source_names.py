"""Names the files of an application in reports."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.instrument.recording import Recording


def source_names(recording: Recording | None, root: Path) -> SourceName:
    """Return the function that names the application's files in crash reports."""
    prefix = f"{root}{os.sep}"

    def name_below_root(filename: str) -> str | None:
        if filename.startswith(prefix) and "site-packages" not in filename:
            return Path(filename).relative_to(root).as_posix()
        return None

    def name_of(filename: str) -> str | None:
        """Name instrumented modules and templates; other files are not compiled code."""
        if recording is None or not filename.endswith(".py"):
            return name_below_root(filename)
        return recording.catalog.path_of(filename)

    return name_of
