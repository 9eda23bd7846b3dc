"""Leaves the SQLite files of a project as they were, whatever fixtures and search do to them.

Some suites work on the developer's own database without knowing it: their fixtures choose
another one after the extension has read the configuration.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

SIZE_LIMIT = 256 << 20
"""Bytes of a database that are kept in memory (256 MiB); larger ones are left to their owner."""

_SIDE_FILES = ("-wal", "-shm", "-journal")


@contextmanager
def preserved_databases() -> Iterator[Callable[[], None]]:
    """Keep the bytes of every existing file that is opened as a database; put them back.

    Gives a function that puts them back at once, for whoever cannot wait for the end.  Works
    inside `sqlite_connections.watched_connections`; without it nothing is kept.
    """
    originals: dict[Path, bytes] = {}

    def keep(path: Path) -> None:
        with suppress(OSError):
            if path not in originals and path.stat().st_size <= SIZE_LIMIT:
                originals[path] = path.read_bytes()

    def put_back() -> None:
        for path, content in originals.items():
            _put_back(path, content)

    connections = active_connections()
    if connections is not None:
        connections.listeners.append(keep)
    try:
        yield put_back
    finally:
        if connections is not None:
            connections.listeners.remove(keep)
        put_back()


def _put_back(path: Path, content: bytes) -> None:
    """Replace the file, so that a connection that is still open keeps what it has."""
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    with suppress(OSError):
        mode = path.stat().st_mode if path.exists() else 0o644
        fresh = path.with_name(f"{path.name}.evosearch")
        fresh.write_bytes(content)
        os.chmod(fresh, mode)
        os.replace(fresh, path)
        for suffix in _SIDE_FILES:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
