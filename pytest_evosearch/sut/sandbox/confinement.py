"""Prevents harm by an application that is not configured for tests.

An application found by ``FLASK_APP`` or ``wsgi.py`` is configured for development or production.
Inside the sandbox its SQLite files are throw-away copies, and so are files that it writes. It
reaches no host beyond loopback, sends no mail and starts no program. The sandbox replaces Python
functions, so code that calls the C library itself can escape.
"""

from __future__ import annotations

import errno
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.own_time import OWN_PACKAGES
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.sut.sandbox.copied_files import guarded_files
from pytest_evosearch.sut.sandbox.local_network import guarded_network
from pytest_evosearch.sut.sandbox.parting_functions import own_parting
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections

_OWN_FOLDER = str(Path(__file__).parents[2])


_WRAPPERS = (
    "pytest_evosearch.sut.sandbox.confinement",
    "pytest_evosearch.sut.sandbox.copied_files",
    "pytest_evosearch.sut.sandbox.local_network",
    "pytest_evosearch.sut.sandbox.parting_functions",
    "pytest_evosearch.sut.state.sqlite",
    "pytest_evosearch.sut.watching.sqlite_connections",
    "pytest_evosearch.sut.watching.services",
    "pytest_evosearch.sut.watching.side_effects",
)
"""Our modules through which the application calls the system."""


class Guard:
    """The attempts that the sandbox has blocked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Temporary folder with all copies; removed at the end."""
        self.counts: dict[str, int] = {}
        """Attempt -> how many times: ``connect to api.example.com:443 at shop/mail.py:12``."""
        self.harms: dict[str, int] = {}
        """Harmful attempts -> how many times: no test may really repeat them."""
        self.originals: dict[str, str] = {}
        """Path of a copy -> path of the original."""
        self.connections = SqliteConnections()
        self._standard = tuple(
            os.path.realpath(path)
            for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        )

    @property
    def own_time(self) -> OwnTime:
        """Measures the time for making copies."""
        return self.connections.own_time

    @property
    def blocked(self) -> list[str]:
        """The attempts in the order of their first occurrence, each with its place in the code."""
        return list(self.counts)

    def note(self, attempt: str, harmful: bool = True) -> None:
        """Count an attempt of the application, with its place in the source."""
        frame = self._place()
        if frame is not None:
            attempt += f" at {_shortened(frame.f_code.co_filename)}:{frame.f_lineno}"
        self.counts[attempt] = self.counts.get(attempt, 0) + 1
        if harmful:
            self.harms[attempt] = self.harms.get(attempt, 0) + 1

    def adopt(self, attempts: Sequence[str], harms: Mapping[str, int]) -> None:
        """Add attempts and harmful attempts of another process."""
        for attempt in attempts:
            self.counts.setdefault(attempt, 0)
        for attempt, times in harms.items():
            self.counts[attempt] = self.counts.get(attempt, 0) + times
            self.harms[attempt] = self.harms.get(attempt, 0) + times

    def is_ours(self) -> bool:
        """Say whether pytest or pytest-evosearch is the caller, and not the application."""
        frame = self.caller()
        return frame is not None and _package_of(frame) in OWN_PACKAGES

    def caller(self) -> FrameType | None:
        """Return the innermost frame outside the standard library and the sandbox itself."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and self._is_transparent(frame):
            frame = frame.f_back
        return frame

    def _place(self) -> FrameType | None:
        """Return the innermost frame outside installed packages, otherwise the caller's.

        Readers need the line of the application, not one of its libraries.
        """
        caller = frame = self.caller()
        while frame is not None and _package_of(frame) not in OWN_PACKAGES:
            if "-packages" not in frame.f_code.co_filename and not self._is_transparent(frame):
                return frame
            frame = frame.f_back
        return caller

    def _is_transparent(self, frame: FrameType) -> bool:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(_WRAPPERS):
            return True
        filename = frame.f_code.co_filename
        return filename.startswith(("<frozen", *self._standard)) and "-packages" not in filename


@contextmanager
def sandbox(
    root: Path | None = None,
    *,
    allow_net: Sequence[str] = (),
    writable: Sequence[Path] = (),
    notify: Callable[[str], None] = lambda _line: None,
) -> Iterator[Guard]:
    """Guard the process inside the block; restore everything at its end.

    `root` is the project, protected even below the temporary folder. `allow_net` names hosts that
    may be reached, ``*`` for all. `writable` are folders that may be written in addition to the
    temporary one. `notify` receives failures at the end of the block.
    """
    with scratch_folder("sandbox") as folder, ExitStack() as stack:
        guard = stack.enter_context(isolated_files(folder, root, writable))
        stack.enter_context(guarded_network(guard.note, allow_net))
        stack.enter_context(_temporary_home(guard.folder / "home"))
        stack.enter_context(_no_programs(guard))
        stack.enter_context(own_parting(guard.is_ours, lambda error: notify(_late_failure(error))))
        yield guard


@contextmanager
def isolated_files(
    folder: Path, root: Path | None, writable: Sequence[Path] = ()
) -> Iterator[Guard]:
    """Redirect writes outside the temporary folder to copies in `folder`.

    This includes SQLite files. Existing files are never deleted. `sandbox` describes `root` and
    `writable`.
    """
    guard = Guard(Path(os.path.realpath(folder)))
    with ExitStack() as stack:
        guard.connections = stack.enter_context(watched_connections(guard.folder, root))
        stack.enter_context(guarded_files(guard, guard.folder, root, writable))
        yield guard


@contextmanager
def _no_programs(guard: Guard) -> Iterator[None]:
    """Make every program look as if it were not installed, which callers mostly handle."""
    real_start = subprocess.Popen.__init__
    real_system = _real_os.system

    def start(self: Any, args: Any, *arguments: Any, **keywords: Any) -> None:
        if guard.is_ours():
            return real_start(self, args, *arguments, **keywords)
        program = str(args if isinstance(args, (str, bytes)) else next(iter(args), "")).split()[:1]
        guard.note(f"run {''.join(program)}")
        self.returncode = None
        self._child_created = False
        raise FileNotFoundError(errno.ENOENT, "the sandbox of pytest-evosearch runs no programs")

    def system(command: str) -> int:
        guard.note(f"run {command.split()[0] if command.split() else command}")
        return 127 << 8  # the exit code of a shell for an unknown command

    subprocess.Popen.__init__ = start  # type: ignore[method-assign]
    _real_os.system = system
    try:
        yield
    finally:
        subprocess.Popen.__init__ = real_start  # type: ignore[method-assign]
        _real_os.system = real_system


@contextmanager
def _temporary_home(home: Path) -> Iterator[None]:
    home.mkdir(parents=True, exist_ok=True)
    environment = _real_os.environ
    own = environment.get("HOME")
    folders = {name: environment[name] for name in list(environment) if _names_home(name)}
    environment["HOME"] = str(home)
    for name in folders:
        del environment[name]
    try:
        yield
    finally:
        for name in [one for one in environment if _names_home(one)]:
            del environment[name]
        environment.update(folders)
        if own is None:
            environment.pop("HOME", None)
        else:
            environment["HOME"] = own


def _names_home(variable: str) -> bool:
    """Say whether a variable names a folder of the user: ``XDG_CACHE_HOME``, not ``JAVA_HOME``."""
    return variable.startswith("XDG_") and variable.endswith("_HOME")


def _late_failure(error: BaseException) -> str:
    """Describe an exception in a function registered with `atexit`, with its place."""
    every = traceback.extract_tb(error.__traceback__)
    frames = [one for one in every if not one.filename.startswith(_OWN_FOLDER)]
    place = f" at {_shortened(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    said = message_of(error)
    raised = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return f"what the application has registered with atexit fails{place}: {raised}"


def _package_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def _shortened(filename: str) -> str:
    """Return `filename` relative to the current folder when that is shorter."""
    relative = os.path.relpath(filename)
    return filename if relative.startswith("..") else relative.replace(os.sep, "/")


_real_os: Any = sys.modules["os"]
"""The module that applications use (`core.isolation.os` is our private copy)."""
