"""A throw-away MariaDB server on a Unix socket, with its data in memory where there is room."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.servers.binaries import mariadb_programs
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.server_folders import memory_folder
from pytest_evosearch.sut.servers.server_folders import server_folder
from pytest_evosearch.sut.servers.server_process import ServerProcess
from pytest_evosearch.sut.servers.server_process import answers
from pytest_evosearch.sut.servers.server_process import unprivileged_user

SMALL = (
    "--innodb-log-file-size=4M",
    "--innodb-data-file-path=ibdata1:10M:autoextend",
    "--innodb-temp-data-file-path=ibtmp1:12M:autoextend",
)
"""Keep the data folder near 30 MB, which fits into the memory of containers."""

HURRY = (
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-stats-persistent=0",
    "--innodb-buffer-pool-size=32M",
    "--skip-log-bin",
    "--performance-schema=0",
    "--skip-name-resolve",
)
"""Do not wait for the disk: no data must survive a power cut."""


@dataclass(frozen=True)
class MariadbServer:
    """A running server."""

    socket: Path
    user: str = "root"


@contextmanager
def mariadb_server() -> Iterator[MariadbServer]:
    """Run a server until the end of the block; raise `NoServer` when none can be started."""
    programs = mariadb_programs()
    if programs is None:
        raise NoServer(
            "there is no MariaDB on this machine to start a throw-away server from: "
            "install Debian's package mariadb-server"
        )
    install, serve = programs
    with server_folder(memory_folder()) as folder:
        user = unprivileged_user()
        if user is not None:
            os.chown(folder, user, user)
        process = ServerProcess(folder / "log", user)
        data, socket = folder / "data", folder / "socket"
        common: list[str | Path] = ["--no-defaults", f"--datadir={data}", *SMALL]
        process.run(
            [
                install,
                *common,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                "--force",
            ]
        )
        try:
            command: list[str | Path] = [
                serve,
                *common,
                *HURRY,
                "--character-set-server=utf8mb4",  # as MySQL 8: older MariaDB has Latin letters
                "--skip-networking",
                f"--socket={socket}",
            ]
            pid_file = f"--pid-file={folder / 'pid'}"
            process.start([*command, pid_file], signal.SIGTERM, lambda: answers(socket))
            yield MariadbServer(socket)
        finally:
            process.end()
