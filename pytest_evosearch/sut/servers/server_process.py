"""Starts a server process that ends with ours, and that also works for root.

As root, PostgreSQL refuses to start. A user namespace is enough, in which our user is `nobody` and
still owns the files. Where a container forbids namespaces, the process really becomes `nobody`.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

NOBODY = 65534

_PATIENCE_SECONDS = 60.0
_GLANCE_SECONDS = 0.02

_FAILURE = re.compile(r"\b(FATAL|ERROR)\b")
"""What a server calls the reason for its end; it may say more after that."""

_FOLLOWING = """\
import ctypes, os, sys
parent, signal, user, *command = sys.argv[1:]
if user != "-":
    os.setgroups([]); os.setgid(int(user)); os.setuid(int(user))
ctypes.CDLL(None).prctl(1, int(signal), 0, 0, 0)
if os.getppid() != int(parent):
    sys.exit("what started this has ended")
os.execv(command[0], command)
"""
"""Code that becomes a program and gets a signal when its parent ends."""


class ServerDidNotStart(RuntimeError):
    """Says that a server ended at once, or never answered; the message is its output."""


class ServerProcess:
    """One server process, and its output."""

    def __init__(self, log: Path, user: int | None) -> None:
        self._log = log
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self, command: Sequence[str | Path], signal: int, is_ready: Callable[[], bool]
    ) -> None:
        """Start the server; `signal` ends it, and is sent to it when this process ends."""
        self._signal = signal
        with self._log.open("ab") as log:
            self._process = _started_by_lasting_thread(
                lambda: subprocess.Popen(
                    self._following(command, signal),
                    cwd=self._log.parent,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )
        end = monotonic() + _PATIENCE_SECONDS
        while not is_ready():
            if self._process.poll() is not None or monotonic() > end:
                self.end()
                raise ServerDidNotStart(self._last_words())
            time.sleep(_GLANCE_SECONDS)

    def run(self, command: Sequence[str | Path]) -> None:
        """Run a program to its end, as the user of the server."""
        done = subprocess.run(
            self._following(command, 9),
            cwd=self._log.parent,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
        if done.returncode:
            self._log.write_bytes(done.stdout)
            raise ServerDidNotStart(self._last_words())

    def end(self) -> None:
        """End the server, and wait for it."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(self._signal)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _following(self, command: Sequence[str | Path], signal: int) -> list[str]:
        interpreter = getattr(sys, "_base_executable", "") or sys.executable
        user = "-" if self._user is None else str(self._user)
        number = str(int(signal))  # before Python 3.11 the text of a signal is its name
        arguments = [str(os.getpid()), number, user, *(str(one) for one in command)]
        plain = [interpreter, "-I", "-S", "-c", _FOLLOWING, *arguments]
        return [*_namespace(), *plain] if self._user is None and _is_root() else plain

    def _last_words(self) -> str:
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        telling = [line for line in lines if _FAILURE.search(line)]
        return (telling or lines or ["it said nothing"])[-1]


def _started_by_lasting_thread(
    start: Callable[[], subprocess.Popen[bytes]],
) -> subprocess.Popen[bytes]:
    """Start a process in a thread that outlasts it: the signal is sent when that thread ends.

    A thread of the application, which may open the first connection, might end too early.
    """
    if threading.current_thread() is threading.main_thread():
        return start()
    started: Future[subprocess.Popen[bytes]] = Future()

    def last() -> None:
        try:
            process = start()
        except BaseException as error:
            started.set_exception(error)
        else:
            started.set_result(process)
            process.wait()

    threading.Thread(target=last, name="evosearch-server", daemon=True).start()
    return started.result()


def answers(path: Path) -> bool:
    """Say whether a server is listening on its socket, which exists a moment earlier."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def unprivileged_user() -> int | None:
    """Return the user that a server must run as, None when it can run as ours."""
    if not _is_root() or _has_namespaces():
        return None
    return NOBODY


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _namespace() -> list[str]:
    return ["unshare", "-U", f"--map-user={NOBODY}", f"--map-group={NOBODY}"]


def _has_namespaces() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*_namespace(), "true"], capture_output=True, check=False)
    return tried.returncode == 0


def _environment() -> dict[str, str]:
    """Return an environment for the server with only the folders of programs.

    Variables such as PGDATA or PGPORT belong to the user's own server.
    """
    kept = ("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR")
    known = {name: os.environ[name] for name in kept if name in os.environ}
    return {**known, "LC_ALL": "C", "TZ": "UTC"}
