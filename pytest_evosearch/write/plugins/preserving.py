"""A pytest plugin for verification runs: it undoes changes of tests to files of the project.

The search keeps no test that it has seen doing so (`sut.state.written_files`).  In a fresh
interpreter the same request may get further: a handler that refused to write, because of state that
the search had left in memory, writes.  So the content of a file is copied before a test changes it.

    after the test     if the file differs, it is restored, and the log says that the test failed

The copy is also written beside the log of created paths, if that is in the folder of the search
(`core.safekeeping`): the next run restores the file, should this process die.

Changes by fixtures are not undone.  SQLite files have the
fixtures of the written conftest.py; files that earlier runs created are removed
(`write.verification.tidying`).

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_LOG      file to which one JSON object per line is appended
    EVOSEARCH_VERIFY_TRACES   file with the paths that runs have created; a zero byte follows each
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LARGEST = 64 * 2**20
"""Most bytes of a remembered file, as during the search."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND
_LEFT_ALONE = re.compile(
    r"^\.|__pycache__|site-packages|cache|session|^te?mp$|^logs?$", re.IGNORECASE
)
"""Folders of tools, and folders for data that applications can recreate."""

# The application may replace these functions.
_absolute, _decoded, _stat = os.path.abspath, os.fsdecode, os.stat
_open, _read, _write, _close = os.open, os.read, os.write, os.close


def changed_paths(event: str, arguments: tuple[Any, ...]) -> tuple[object, ...]:
    """Return the files that an audit event is about to change or remove."""
    if event == "open":
        path, _mode, flags = arguments
        return (path,) if isinstance(flags, int) and flags & _WRITING else ()
    if event in ("os.remove", "os.truncate"):
        return arguments[:1]
    return arguments[:2] if event == "os.rename" else ()


class Copies:
    """Sees every file that the process opens (PEP 578), and copies what a test is to change."""

    def __init__(self, root: str, folders: Sequence[str]) -> None:
        self._root = f"{root}{os.sep}"
        self._folders = folders
        """Where the copies are written, each time with an entry in a journal."""
        self._written: set[str] = set()
        self.test = ""
        """The node id of the running test; empty during set-up and tear-down."""
        self.kept: dict[str, tuple[bytes, os.stat_result]] = {}

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Remember the content of a file; this is called for every audit event of the process."""
        if not self.test:
            return
        for changed in changed_paths(event, arguments):
            if isinstance(changed, (str, bytes, os.PathLike)):
                path = _absolute(_decoded(changed))
                if path not in self.kept and self.is_of_project(path):
                    self._keep(path)

    def is_of_project(self, path: str) -> bool:
        """Say whether a file is one of the project's, and not of a tool."""
        if not path.startswith(self._root):
            return False
        folders = path.removeprefix(self._root).split(os.sep)[:-1]  # noqa: PTH206 - called often
        return not any(_LEFT_ALONE.search(folder) for folder in folders)

    def _keep(self, path: str) -> None:
        try:
            known = _stat(path)
        except OSError:
            return  # it is new
        if not stat.S_ISREG(known.st_mode) or known.st_size > LARGEST or _was_created(path):
            return
        content = _content(path)
        if content is not None:
            self._write_down(path, content, known)
            self.kept[path] = (content, known)

    def _write_down(self, path: str, content: bytes, known: os.stat_result) -> None:
        if path in self._written:
            return
        name = f"content-{os.getpid()}-{len(self._written)}"
        times = (known.st_atime_ns, known.st_mtime_ns)
        entry = ["file", path, name, stat.S_IMODE(known.st_mode), times]
        for folder in self._folders:
            try:
                append(f"{folder}{os.sep}{name}", content)
                append(f"{folder}{os.sep}journal", json.dumps(entry).encode() + b"\n")
            except OSError:  # a full disk
                continue
            self._written.add(path)


class Preserver:
    """Restores files that a test has changed, after the test."""

    def __init__(self, log: str, copies: Copies) -> None:
        self._log = log
        self._copies = copies

    def pytest_runtest_call(self, item: Any) -> None:
        """Begin to watch the test; plugins run before pytest's own hook."""
        self._copies.kept.clear()
        self._copies.test = item.nodeid

    def pytest_runtest_teardown(self) -> None:
        """Restore what the test has changed."""
        test, self._copies.test = self._copies.test, ""
        for path, (content, known) in self._copies.kept.items():
            if _content(path) != content:
                self._blame(test, path)
                _put_back(path, content)
                os.chmod(path, stat.S_IMODE(known.st_mode))  # noqa: PTH101 - as it was
                os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
        self._copies.kept.clear()

    def _blame(self, test: str, path: str) -> None:
        reason = f"in a real run it changes {os.path.relpath(path)}"
        entry = {"report": test, "outcome": "failed", "reason": reason}
        append(self._log, json.dumps(entry).encode() + b"\n")


def folders_of_search() -> list[str]:
    """Return the folder of the search whose journal its next run reads, if there is one."""
    folder = Path(os.environ.get("EVOSEARCH_VERIFY_TRACES", "")).parent
    return [str(folder)] if (folder / "owner").exists() else []


def append(path: str, content: bytes) -> None:
    """Append all of `content` to a file."""
    descriptor = _open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        view = memoryview(content)
        while view:
            view = view[_write(descriptor, view) :]
    finally:
        _close(descriptor)


def _content(path: str) -> bytes | None:
    """Return the content of a file, None when it cannot be read."""
    try:
        descriptor = _open(path, os.O_RDONLY)
    except OSError:
        return None
    parts = []
    while part := _read(descriptor, 2**20):
        parts.append(part)
    _close(descriptor)
    return b"".join(parts)


def _put_back(path: str, content: bytes) -> None:
    if Path(path).exists():
        Path(path).write_bytes(content)
        return
    # Otherwise the test would seem to have created the file, and the file would be removed in the
    # end.
    script = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    subprocess.run([sys.executable, "-I", "-S", "-c", script, path], input=content, check=False)


def _was_created(path: str) -> bool:
    """Say whether an earlier test, or an earlier run, has created a file."""
    created = _content(os.environ.get("EVOSEARCH_VERIFY_TRACES", "")) or b""
    return os.fsencode(path) in created.split(b"\0")


def pytest_configure(config: Any) -> None:
    """Watch the tests of a run with a log and a list of files that earlier runs created.

    Without the list, those files would count as the project's.
    """
    log = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if log and os.environ.get("EVOSEARCH_VERIFY_TRACES"):
        copies = Copies(str(Path.cwd()), folders_of_search())
        sys.addaudithook(copies)
        config.pluginmanager.register(Preserver(log, copies), "evosearch-preserver")
