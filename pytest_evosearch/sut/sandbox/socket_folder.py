"""The folder for sockets and files of `multiprocessing`'s processes.

The first process that needs the folder creates it in the temporary folder, and removes it at its
own end. A process that is ended after a test cannot remove it, so all processes get a folder of the
run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import current_process
from typing import Any

from pytest_evosearch.core.scratch import ScratchFolder

PURPOSE = "mp"
"""Prefix of the folder; short, because the system limits the length of a socket's name."""

LONGEST = 80
"""Most characters of a folder; the system allows 107 for the folder with a socket's name."""

_FOLDER = "tempdir"


@contextmanager
def folder_for_sockets() -> Iterator[None]:
    """Give the processes started inside the block a folder, which is removed at its end."""
    configuration: dict[str, Any] = vars(current_process())["_config"]
    folder = None if configuration.get(_FOLDER) else _made()
    if folder is None:
        yield
        return
    configuration[_FOLDER] = str(folder.path)
    try:
        yield
    finally:
        if configuration.get(_FOLDER) == str(folder.path):
            del configuration[_FOLDER]
        folder.close()


def _made() -> ScratchFolder | None:
    try:
        folder = ScratchFolder(PURPOSE)
    except OSError:  # a full disk
        return None
    if len(str(folder.path)) <= LONGEST:
        return folder
    folder.close()
    return None
