"""The folder in which processes of `multiprocessing` have their sockets and files.

The first of them that needs one makes it in the temporary folder, and removes it when it ends by
itself.  A process that is ended after a test cannot do that, so that all get a folder of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import current_process
from typing import Any

from pytest_evosearch.core.scratch import ScratchFolder

PURPOSE = "mp"
"""Short: the system limits how long the name of a socket is."""

LONGEST = 80
"""Characters of a folder; the system allows 107 with the name of a socket in it."""

_FOLDER = "tempdir"


@contextmanager
def folder_for_sockets() -> Iterator[None]:
    """Give the processes that are started inside the block a folder that is removed in the end."""
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
