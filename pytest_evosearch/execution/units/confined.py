"""Confines a forked process: it can write nowhere else, reach no host, and end no process.

An audit hook of Python sees every call that matters, however the code came to it: by a name that it
imported before, or inside a library.  A hook cannot be removed again, which does no harm in a
process that is thrown away.  Code that calls the C library by itself is not seen; so a module of
the system that does (`ctypes`) is refused, too.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os

MOST_MEMORY = 1 << 30
"""Bytes that a process may take in addition to what it has at its beginning (1 GiB)."""

LARGEST_FILE = 64 << 20
"""Bytes of the largest file that a unit may write (64 MiB)."""

LONGEST_FILE = 300
"""Characters of the longest file whose text a test asserts."""

FIRST_OWN_DESCRIPTOR = 700
"""Descriptors of ours are moved to this number: a unit that closes 3 must not close them."""

_REFUSED = (
    *("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"),
    *("os.kill", "os.killpg", "signal.pthread_kill", "os.setxattr", "os.removexattr"),
    *("subprocess.Popen", "pty.spawn", "os.startfile", "os.lockf"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
    *("socket.gethostbyname", "socket.gethostbyaddr", "resource.setrlimit", "resource.prlimit"),
    *("ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "webbrowser.open"),
    *("sys.addaudithook", "cpython.run_stdin", "syslog.openlog"),
    *("fcntl.flock", "fcntl.lockf", "fcntl.ioctl"),
)
"""Events of audit hooks that a unit must not cause, by their beginnings."""

_OF_PATHS = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link"),
        *("os.symlink", "os.truncate", "os.utime", "shutil.rmtree", "shutil.move", "shutil.chown"),
        *("shutil.copyfile", "shutil.copymode", "shutil.copystat", "shutil.copytree"),
        *("shutil.unpack_archive", "shutil.make_archive", "sqlite3.connect", "os.mkfifo"),
        *("os.mknod", "os.chflags"),
    )
)
"""Events whose first arguments are paths that are changed."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """Says that a unit tried what no test may do."""


def confine(folder: str, kept: Collection[int]) -> list[str]:
    """Confine this process to `folder` for good; `kept` are our own descriptors.

    Return a list to which every refused call is added, and every file that is written elsewhere
    than by a relative path.  A call that is caught inside the unit does no harm here, but a written
    test would really do it.
    """
    os.chdir(folder)
    os.environ.update(HOME=folder, TMPDIR=folder)
    tempfile.tempdir = folder
    with suppress(OSError):
        os.setsid()
    _close_all_but(kept)
    _limit_resources()
    sys.dont_write_bytecode = True
    attempts: list[str] = []
    sys.addaudithook(_guard(os.path.realpath(folder), attempts))
    return attempts


def moved(descriptor: int) -> int:
    """Move a descriptor to a number that no unit closes by chance."""
    import fcntl

    above = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_OWN_DESCRIPTOR)
    os.close(descriptor)
    return above


def written_files(folder: str) -> tuple[tuple[str, str | None], ...]:
    """Return the files in a folder with their texts, and remove them: the next test finds none."""
    names = os.listdir(folder)
    inside = sorted(Path(folder).rglob("*")) if names else []
    files = [path for path in inside if path.is_file() and not path.is_symlink()]
    found = tuple((path.relative_to(folder).as_posix(), _text_of(path)) for path in files)
    for name in names:
        path = Path(folder, name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    return found


def _text_of(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii") if path.stat().st_size <= LONGEST_FILE else None
    except (OSError, ValueError):
        return None
    return text


def _close_all_but(kept: Collection[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    first = 3
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, first + 4096)


def _limit_resources() -> None:
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        present = pages * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (present + MOST_MEMORY, present + MOST_MEMORY))
    for limit, most in ((resource.RLIMIT_FSIZE, LARGEST_FILE), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, most))


def _guard(folder: str, attempts: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    real, fspath, join = os.path.realpath, os.fspath, os.path.join
    inside = folder + os.sep
    devices = {os.devnull}

    def may_change(path: object) -> bool:
        if isinstance(path, int) or path is None:
            return True  # an open file, which was checked when it was opened
        name = fspath(path)  # type: ignore[call-overload]
        text = os.fsdecode(name)
        if text in devices or text == ":memory:":
            return True
        is_inside = real(join(os.getcwd(), text)).startswith(inside)
        if not is_inside or os.path.isabs(text):
            attempts.append(f"it changes files: {text!r:.60}")
        return is_inside

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            by_flags = isinstance(flags, int) and flags & _WRITES
            by_mode = isinstance(mode, str) and not set(mode).isdisjoint("wax+")
            if (by_flags or by_mode) and not may_change(path):
                raise Refused(1, "a test must not write this file", str(path))
        elif event in _OF_PATHS:
            paths = arguments[:2] if event in _TWO_PATHS else arguments[:1]
            if not all(may_change(path) for path in paths):
                raise Refused(1, f"a test must not do this: {event}", str(arguments[0]))
        elif event in _NOTED:
            attempts.append(f"it changes its process: {event}")
        elif event.startswith(_REFUSED):
            attempts.append(f"it must not do this: {event}")
            raise Refused(1, f"a test must not do this: {event}")

    return check


_NOTED = frozenset({"os.putenv", "os.unsetenv", "os.chdir", "sys.settrace"})
"""Events that change the process, which other tests share."""

_TWO_PATHS = frozenset({"os.rename", "os.link", "os.symlink", "shutil.move"})
