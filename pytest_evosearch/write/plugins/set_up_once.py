"""A pytest plugin for verification runs: sets slow fixtures up once, with a fork for each test.

Where the fixtures of one test take seconds, a run of a hundred tests takes minutes.  Here every
test gets a copy of the process right after the set-up, so it finds what its own set-up would give
it.  Files that the set-up made or opened are restored after each test.

    first test       runs as usual in a fork, which tells how long each of its fixtures took
    slow fixtures    are set up once, with all that was ready before them
    further tests    run in forks: these fixtures have a value, and pytest sets up the rest
    other tests      one that does not request all of these fixtures ends the shared set-up

The shared fixtures are torn down once, by the process that has set them up.  A set-up that fails,
starts a thread or makes large files is not shared: then tests run as usual.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_SLOW   seconds from which on the set-up of a test is slow
"""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise
from typing import Any
from typing import NamedTuple

VARIABLE = "EVOSEARCH_VERIFY_SLOW"

SLOW_SHARE = 0.25
"""Smallest share of the seconds of a set-up that makes one fixture slow."""

LARGEST = 64 * 2**20
"""Most bytes of files that are restored after each test."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND | os.O_CREAT
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")

# The application may replace these functions.
_open, _read, _write, _close, _stat = os.open, os.read, os.write, os.close, os.lstat
_exit, _monotonic, _absolute, _decoded = os._exit, time.monotonic, os.path.abspath, os.fsdecode
_list_folder, _remove, _remove_folder, _change_times = os.listdir, os.unlink, os.rmdir, os.utime

Content = tuple[bytes, os.stat_result]


class TooLarge(Exception):
    """The files of a set-up cannot be kept."""


class FilesOfSetUp:
    """The files that fixtures make or open, and what they held when the set-up was over."""

    def __init__(self) -> None:
        self.is_setting_up = False
        self._paths: set[str] = set()
        self._databases: set[str] = set()
        """SQLite files that this process has opened at any time."""
        self._kept: dict[str, Content | None] = {}
        """Each file with its content; None for a folder."""

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a file; this is called for every audit event of the process."""
        if event == "sqlite3.connect":
            name = str(arguments[0])
            if name and not name.startswith((":", "file:")):
                path = _absolute(_decoded(arguments[0]))
                self._databases |= {path, *(path + ending for ending in _BESIDE_DATABASES)}
        made = _made(event, arguments) if self.is_setting_up else None
        if isinstance(made, (str, bytes, os.PathLike)):
            self._paths.add(_absolute(_decoded(made)))

    def keep(self) -> None:
        """Remember what the set-up has left; raise `TooLarge` where that is too much."""
        self._kept = {path: _content(path) for path in self._found()}
        if sum(len(one[0]) for one in self._kept.values() if one) > LARGEST:
            raise TooLarge

    def put_back(self) -> None:
        """Restore what a test has changed, made or removed among these files."""
        for path in sorted(self._found() - self._kept.keys(), reverse=True):
            with suppress(OSError):
                (_remove_folder if stat.S_ISDIR(_stat(path).st_mode) else _remove)(path)
        for path, content in sorted(self._kept.items()):
            _restore(path, content)

    def forget(self) -> None:
        """Forget the files of a set-up that is torn down."""
        self._paths.clear()
        self._kept.clear()

    def _found(self) -> set[str]:
        """Return the noted files and folders that exist, with all that is in these folders."""
        waiting, found = [*self._paths, *self._databases], set()
        while waiting:
            path = waiting.pop()
            try:
                mode = _stat(path).st_mode
                inside = _list_folder(path) if stat.S_ISDIR(mode) else []
            except OSError:
                continue
            if path not in found and (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                found.add(path)
                waiting += [f"{path}{os.sep}{name}" for name in inside]
        return found


class Span(NamedTuple):
    """How long a fixture of a single test took, without those that it requests; 0 for others."""

    name: str
    seconds: float


class SetUpOnce:
    """Runs each test in a fork, after fixtures that were set up once for several tests."""

    def __init__(self, slow: float, files: FilesOfSetUp) -> None:
        self._slow = slow
        self._files = files
        self._in_fork = False
        self._gives_up = False
        self._begun: list[tuple[str, str, float]] = []
        """Fixtures with their scopes and the moments at which they began; last, the call."""
        self._owner: Any = None
        """The item for which the shared fixtures are set up; None while there are none."""
        self._shared: dict[str, Any] = {}
        """Names of the shared fixtures, with their definitions."""
        self._known: dict[frozenset[str], list[str]] = {}
        """Names of the fixtures of a test -> those to share; empty where its set-up is not slow."""

    def pytest_fixture_setup(self, fixturedef: Any) -> None:
        """Note when a fixture begins: those that it requests are ready then."""
        self._begun.append((fixturedef.argname, fixturedef.scope, _monotonic()))
        if self._files.is_setting_up:
            self._shared[fixturedef.argname] = fixturedef

    def pytest_runtest_call(self) -> None:
        """Note when the last fixture was ready; plugins run before pytest's own hook."""
        self._begun.append(("", "", _monotonic()))

    def pytest_runtest_teardown(self) -> None:
        """Note the end where no call came: the set-up has failed, or it skips the test."""
        self._begun.append(("", "", _monotonic()))

    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        """Run a test in a fork, with the fixtures that are set up."""
        if self._in_fork or not hasattr(item, "_fixtureinfo"):
            return None
        known = self._known.get(frozenset(item.fixturenames))
        if not self._fits(item):
            self._end_set_up(item.session, item)
            if known and not self._gives_up:
                self._share(item, known)
        if self._gives_up or threading.active_count() > 1 or (known == [] and not self._owner):
            self._end_set_up(item.session, item)
            return None
        spans, status = self._forked(item)
        self._files.put_back()
        if spans is None:
            _note_death(item.nodeid)
        item.session.testsfailed += os.waitstatus_to_exitcode(status) != 0
        if self._owner is None and spans is not None:
            shared = self._known[frozenset(item.fixturenames)] = self._worth_sharing(spans)
            if shared:
                self._share(item, shared)
        return True

    def pytest_sessionfinish(self, session: Any) -> None:
        """Tear down what was shared."""
        if not self._in_fork:
            self._end_set_up(session, None)

    def _fits(self, item: Any) -> bool:
        """Say whether a test requests all shared fixtures that a test can request by name."""
        if self._owner is None:
            return False
        theirs = item._fixtureinfo.name2fixturedefs
        scopes = {one.scope for one in self._shared.values()}
        if item.parent is not self._owner.parent and scopes - {"function", "session"}:
            return False
        return all(
            name in theirs and theirs[name][-1] is one
            for name, one in self._shared.items()
            if name in self._owner.fixturenames
        )

    def _forked(self, item: Any) -> tuple[list[Span] | None, int]:
        """Run `item` in a fork; return its fixtures (None: it died), and its status."""
        receiving, sending = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if not process:
            self._run_in_fork(item, sending)
        _close(sending)
        parts = []
        while part := _read(receiving, 2**16):
            parts.append(part)
        _close(receiving)
        status = os.waitpid(process, 0)[1]
        if not parts:
            return None, status
        begun = json.loads(b"".join(parts))
        spans = [
            Span(name, after[-1] - began if scope == "function" else 0.0)
            for (name, scope, began), after in pairwise(begun)
            if name
        ]
        return spans, status

    def _run_in_fork(self, item: Any, channel: int) -> None:
        """Run `item`, and end this process."""
        code = 1
        try:
            self._in_fork = True
            _end_with_the_parent()
            self._leave_to_parent(item)
            self._begun.clear()
            before = item.session.testsfailed
            # Only the item itself is torn down: its module's fixtures belong to the parent.
            item.ihook.pytest_runtest_protocol(item=item, nextitem=item.parent)
            _write(channel, json.dumps(self._begun).encode())
            code = int(item.session.testsfailed > before)
        finally:
            sys.stdout.flush()
            _exit(code)

    def _leave_to_parent(self, item: Any) -> None:
        """Let the parent alone tear down what is set up, even where `item` is of another module."""
        stack, chain = item.session._setupstate.stack, item.parent.listchain()
        for node in [one for one in stack if one not in chain]:
            del stack[node]
        for definition in self._shared.values():
            definition._finalizers.clear()
        item._initrequest()

    def _worth_sharing(self, spans: list[Span]) -> list[str]:
        """Return the slow fixtures, and those that were ready before them."""
        total = sum(span.seconds for span in spans)
        if total < self._slow:
            return []
        slow = [at for at, span in enumerate(spans) if span.seconds >= SLOW_SHARE * total]
        return [span.name for span in spans[: slow[-1] + 1 if slow else None]]

    def _share(self, item: Any, names: list[str]) -> None:
        """Set up fixtures of `item` here."""
        self._owner = item
        self._files.is_setting_up = True
        try:
            self._set_up(item, names)
            self._files.keep()
        except Exception:  # the test itself shows what is wrong
            self._gives_up = True
        finally:
            self._files.is_setting_up = False

    def _set_up(self, item: Any, names: list[str]) -> None:
        state = item.session._setupstate
        state.teardown_exact(item)
        state.setup(item.parent)
        item._initrequest()
        state.stack[item] = ([item.teardown], None)
        for name in names:
            item._request.getfixturevalue(name)

    def _end_set_up(self, session: Any, following: Any) -> None:
        """Tear down what was shared, and what the `following` test does not belong to."""
        self._owner = None
        self._shared.clear()
        self._files.forget()
        # No test is to blame for an exception, and ``tmp_path`` expects the report of a test.
        with suppress(Exception):
            session._setupstate.teardown_exact(following)


def _note_death(test: str) -> None:
    """Tell the log of a test that it has ended its process."""
    log = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if log:
        entry = {"report": test, "outcome": "failed", "reason": "it ends the process"}
        descriptor = _open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        _write(descriptor, json.dumps(entry).encode() + b"\n")
        _close(descriptor)


def _made(event: str, arguments: tuple[Any, ...]) -> object:
    """Return the file that an audit event opens for writing or makes; None for other events."""
    if event == "open":
        return arguments[0] if isinstance(arguments[2], int) and arguments[2] & _WRITING else None
    if event == "os.mkdir":
        return arguments[0]
    return arguments[1] if event == "os.rename" else None


def _content(path: str) -> Content | None:
    """Return the content of a file; None for a folder."""
    known = _stat(path)
    if stat.S_ISDIR(known.st_mode):
        return None
    if known.st_size > LARGEST:
        raise TooLarge
    descriptor = _open(path, os.O_RDONLY)
    parts = []
    while part := _read(descriptor, 2**20):
        parts.append(part)
    _close(descriptor)
    return b"".join(parts), known


def _restore(path: str, content: Content | None) -> None:
    """Bring back a file or a folder, if it differs."""
    try:
        now = _stat(path)
    except OSError:
        now = None
    if content is None:
        if now is None:
            os.mkdir(path)  # noqa: PTH102 - as short as the rest
        return
    text, known = content
    if now is not None and (now.st_mtime_ns, now.st_size) == (known.st_mtime_ns, known.st_size):
        return
    descriptor = _open(path, os.O_WRONLY | os.O_TRUNC | os.O_CREAT, stat.S_IMODE(known.st_mode))
    view = memoryview(text)
    while view:
        view = view[_write(descriptor, view) :]
    _close(descriptor)
    _change_times(path, ns=(known.st_atime_ns, known.st_mtime_ns))


def _end_with_the_parent() -> None:
    """Let the fork end with the process that waits for it (`write.plugins.orphaned`)."""
    orphaned = sys.modules.get("evosearch_orphaned")
    if orphaned is not None and sys.platform == "linux":
        orphaned.end_with_parent(os.getppid())


def pytest_configure(config: Any) -> None:
    """Share set-ups when the environment asks for it."""
    slow = os.environ.get(VARIABLE)
    if slow and hasattr(os, "fork"):
        files = FilesOfSetUp()
        sys.addaudithook(files)
        config.pluginmanager.register(SetUpOnce(float(slow), files), "evosearch-set-up-once")
