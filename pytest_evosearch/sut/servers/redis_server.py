"""A throw-away Redis server on a Unix socket."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.servers.binaries import redis_program
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.server_folders import server_folder
from pytest_evosearch.sut.servers.server_process import ServerProcess
from pytest_evosearch.sut.servers.server_process import answers
from pytest_evosearch.sut.servers.server_process import unprivileged_user


@contextmanager
def redis_server() -> Iterator[Path]:
    """Run a server until the end of the block, and yield its socket."""
    program = redis_program()
    if program is None:
        raise NoServer(
            "there is no Redis on this machine to start a throw-away server from: "
            "install Debian's package redis-server"
        )
    with server_folder() as folder:
        user = unprivileged_user()
        if user is not None:
            os.chown(folder, user, user)
        socket = folder / "socket"
        process = ServerProcess(folder / "log", user)
        settings: list[str | Path] = [
            "--port",
            "0",
            "--unixsocket",
            socket,
            "--save",
            "",
            "--dir",
            folder,
        ]
        try:
            process.start([program, *settings], signal.SIGTERM, lambda: answers(socket))
            yield socket
        finally:
            process.end()
