"""A throw-away PostgreSQL server on a Unix socket."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.servers.binaries import postgresql_folder
from pytest_evosearch.sut.servers.server_folders import server_folder
from pytest_evosearch.sut.servers.server_process import ServerProcess
from pytest_evosearch.sut.servers.server_process import unprivileged_user

SUPERUSER = "evosearch"
PORT = 5432

HURRY = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "shared_buffers": "32MB",
}
"""Do not wait for the disk, and use no network: no data must survive a power cut."""


class NoServer(RuntimeError):
    """Says that this machine has no programs to start a server."""


@dataclass(frozen=True)
class PostgresqlServer:
    """A running server."""

    folder: Path
    """Folder of its socket: the host to connect to."""
    user: str = SUPERUSER
    port: int = PORT

    def url(self, database: str) -> str:
        """Return the address of a database, for SQLAlchemy and libpq."""
        return f"postgresql:///{database}?host={self.folder}&user={self.user}"


@contextmanager
def postgresql_server() -> Iterator[PostgresqlServer]:
    """Run a server until the end of the block; raise `NoServer` when none can be started."""
    programs = postgresql_folder()
    if programs is None:
        raise NoServer(
            "there is no PostgreSQL on this machine to start a throw-away server from: install "
            "Debian's package postgresql, or pytest-evosearch[postgres]"
        )
    with server_folder() as folder:
        user = unprivileged_user()
        if user is not None:
            programs = _reachable(programs, folder)
            os.chmod(folder, 0o700)
            os.chown(folder, user, user)
        process = ServerProcess(folder / "log", user)
        data = folder / "data"
        process.run(
            [
                programs / "initdb",
                "--no-sync",
                "--auth=trust",
                "--encoding=UTF8",
                f"--username={SUPERUSER}",
                f"--pgdata={data}",
            ]
        )
        settings = [f"--{name}={value}" for name, value in HURRY.items()]
        try:
            process.start(
                [programs / "postgres", "-D", data, "-k", folder, *settings],
                signal.SIGINT,
                lambda: _is_ready(data),
            )
            yield PostgresqlServer(folder)
        finally:
            process.end()


def _is_ready(data: Path) -> bool:
    """Say whether the server accepts connections, by the last line of its status file."""
    try:
        return "ready" in (data / "postmaster.pid").read_text("utf-8").splitlines()[-1]
    except (OSError, IndexError):
        return False


def _reachable(programs: Path, folder: Path) -> Path:
    """Return programs that another user can run: copies when a folder above is closed."""
    if all(path.stat().st_mode & 0o001 for path in [programs, *programs.parents]):
        return programs
    copy = folder / "programs"
    shutil.copytree(programs.parent, copy, symlinks=True)
    return copy / programs.name
