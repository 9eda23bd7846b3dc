"""Keeps an application that is not prepared for tests from doing harm.

An application found by ``FLASK_APP`` or ``wsgi.py`` is configured for development or
production.  Inside the sandbox its SQLite files are throw-away copies, files that it writes
go to copies too, it reaches no host beyond loopback, sends no mail and starts no program.
Best effort, by replacing Python functions: code that calls the C library by itself gets through.
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

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.own_packages import OWN_PACKAGES
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.core.told import message_of
from pytest_evosearch.sut.sandbox.copied_files import guarded_files
from pytest_evosearch.sut.sandbox.local_network import guarded_network
from pytest_evosearch.sut.sandbox.parting_functions import own_parting
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections

_OWN_FOLDER = str(Path(__file__).parents[2])
_HOME_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


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
"""Modules of ours through which the application acts."""


class Guard:
    """What the sandbox holds back, and what it did hold back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Temporary folder with every copy; removed at the end."""
        self.counts: dict[str, int] = {}
        """Attempt, such as ``connect to api.example.com:443 at shop/mail.py:12``, to its number."""
        self.harms: dict[str, int] = {}
        """Those of the attempts that would have done harm: no test may repeat them for real."""
        self.originals: dict[str, str] = {}
        """Copies of files by path, with the file that each stands for."""
        self.connections = SqliteConnections()
        self._standard = tuple(
            os.path.realpath(path)
            for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        )

    @property
    def own_time(self) -> OwnTime:
        """Runs while copies are made."""
        return self.connections.own_time

    @property
    def blocked(self) -> list[str]:
        """The attempts in the order in which they first happened, each with its call site."""
        return list(self.counts)

    def note(self, attempt: str, harmful: bool = True) -> None:
        """Count an attempt of the application, with the place in its source."""
        frame = self._place()
        if frame is not None:
            attempt += f" at {_shortened(frame.f_code.co_filename)}:{frame.f_lineno}"
        self.counts[attempt] = self.counts.get(attempt, 0) + 1
        if harmful:
            self.harms[attempt] = self.harms.get(attempt, 0) + 1

    def adopt(self, attempts: Sequence[str], harms: Mapping[str, int]) -> None:
        """Count what was held back in another process, and what of it was harmful how often."""
        for attempt in attempts:
            self.counts.setdefault(attempt, 0)
        for attempt, times in harms.items():
            self.counts[attempt] = self.counts.get(attempt, 0) + times
            self.harms[attempt] = self.harms.get(attempt, 0) + times

    def is_ours(self) -> bool:
        """Say whether pytest or pytest-evosearch is acting, and not the application."""
        frame = self.caller()
        return frame is not None and _package_of(frame) in OWN_PACKAGES

    def caller(self) -> FrameType | None:
        """Return the innermost frame outside the standard library and the sandbox itself."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and self._is_transparent(frame):
            frame = frame.f_back
        return frame

    def _place(self) -> FrameType | None:
        """Return the innermost frame outside installed packages, else the caller's.

        Readers look for the line of the application, not for one of the library that it uses.
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
    tell: Callable[[str], None] = lambda _line: None,
) -> Iterator[Guard]:
    """Guard the process until the end of the block; everything is put back then.

    `root` is the project, protected even when it lies below the temporary folder;
    `allow_net` names hosts that may be reached, ``*`` for all; `writable` are folders that
    may be written besides the temporary one; `tell` is told of failures at the end of the block.
    """
    with scratch_folder("sandbox") as folder, ExitStack() as stack:
        guard = stack.enter_context(isolated_files(folder, root, writable))
        stack.enter_context(guarded_network(guard, allow_net))
        stack.enter_context(_temporary_home(guard.folder / "home"))
        stack.enter_context(_no_programs(guard))
        stack.enter_context(own_parting(guard, lambda error: tell(_late_failure(error))))
        yield guard


@contextmanager
def isolated_files(
    folder: Path, root: Path | None, writable: Sequence[Path] = ()
) -> Iterator[Guard]:
    """Send what this process writes outside the temporary folder to copies in `folder`.

    That includes SQLite files; what is there is never deleted.  `root` and `writable` are
    those of `sandbox`.
    """
    guard = Guard(Path(os.path.realpath(folder)))
    with ExitStack() as stack:
        guard.connections = stack.enter_context(watched_connections(guard.folder, root))
        stack.enter_context(guarded_files(guard, guard.folder, root, writable))
        yield guard


@contextmanager
def _no_programs(guard: Guard) -> Iterator[None]:
    """Let every program seem not to be installed, which callers are most likely to handle."""
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
        return 127 << 8  # what a shell answers for an unknown command

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
    kept = {name: environment.get(name) for name in _HOME_VARIABLES}
    environment["HOME"] = str(home)
    for name in _HOME_VARIABLES[1:]:
        environment.pop(name, None)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value


def _late_failure(error: BaseException) -> str:
    """Say what raised in a function that the application registered with `atexit`, and where."""
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
    """Return `filename` relative to the current folder where that is shorter."""
    relative = os.path.relpath(filename)
    return filename if relative.startswith("..") else relative.replace(os.sep, "/")


_real_os: Any = sys.modules["os"]
"""The module that applications see (`core.isolation.os` is our private copy)."""
