"""Removes the files that verification runs have created in the project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.failing.putting_back import CREATED
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.safekeeping import SIDE_FILES
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.write.verification.pytest_process import PytestProcess


@contextmanager
def tidied(process: PytestProcess, safe: Safekeeping | None = None) -> Iterator[PytestProcess]:
    """Yield a process whose runs leave no new files behind at the end of the block.

    Only files that a run has created (`write.plugins.traces`) and empty folders are removed.
    Existing files, and files of other programs, stay. The notes are kept with `safe`, so that files
    are removed even if this process dies.
    """
    with scratch_folder("traces") as folder:
        kept = safe.folder if safe is not None else None
        traced = replace(process, traces=(kept or folder) / CREATED)
        try:
            yield traced
        finally:
            tidy(traced)


def tidy(process: PytestProcess) -> None:
    """Remove everything that the runs so far have created."""
    log = process.traces
    if log is None or not process.has_left_traces:
        return
    names = log.read_bytes().split(b"\0")[:-1]
    log.unlink()
    _remove([Path(os.fsdecode(name)) for name in dict.fromkeys(names)])


def _remove(created: list[Path]) -> None:
    for path in sorted(created, reverse=True):  # contents of a folder before the folder
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
                continue
            path.unlink(missing_ok=True)
            for ending in SIDE_FILES:
                path.with_name(path.name + ending).unlink(missing_ok=True)
