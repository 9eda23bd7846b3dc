"""What processes that run the same fixtures share: database files, servers, the set-up itself."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.settings.phase_shares import SLOW_SET_UP_SECONDS
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.watching.shared_files import is_shared
from pytest_evosearch.sut.watching.sqlite_connections import active_connections


def shares_database(handle: AppHandle, root: Path) -> bool:
    """Say whether the fixtures of the project open a database that all runs share.

    It is an SQLite file, or lies on a server that is not thrown away.  In a sandbox each run has
    its own copy of a file.
    """
    if not all(_servers()):
        return True
    files = active_connections()
    if handle.sandboxed or files is None:
        return False
    return any(is_shared(path, root) for path in files.files)


def shares_set_up(handle: AppHandle) -> bool:
    """Say whether runs of the written tests can set the project's slow fixtures up once.

    A fork of a process must not use its connection to a server.
    """
    is_slow = handle.set_up_seconds >= SLOW_SET_UP_SECONDS
    return is_slow and hasattr(os, "fork") and not _servers()


def _servers() -> list[bool]:
    """Return for each database on a server whether it is on a throw-away server of ours."""
    connections = active_server_connections()
    return [one.led for one in connections.databases.values()] if connections is not None else []
