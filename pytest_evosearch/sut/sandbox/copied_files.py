"""Sends what an application writes to throw-away copies.

Opening a file for writing outside the temporary folder opens a copy of it, which later
readers see too.  Deleting, renaming and truncating the real files is refused.  Folders are
created, because applications insist on their instance folder, and removed again when empty.
"""

from __future__ import annotations

import builtins
import errno
import functools
import io
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from typing import Any
from typing import Protocol

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.sut.watching.sqlite_connections import is_throw_away

_CHANGING = (
    "remove",
    "unlink",
    "rmdir",
    "truncate",
    "chmod",
    "chown",
    "rename",
    "replace",
    "link",
    "symlink",
)
"""Functions of `os` that change what their first path names; the last four also their second."""

_WRITING = frozenset("wax+")
_DEVICES = ("/dev/", "/proc/")
_visible_os: Any = sys.modules["os"]


class FileGuard(Protocol):
    """What is told about attempts and copies, and asked whose attempts are."""

    originals: dict[str, str]
    """Copies by path, with the file that each stands for."""

    @property
    def own_time(self) -> OwnTime:
        """Runs while copies are made."""
        ...

    def note(self, attempt: str, harmful: bool = True) -> None:
        """Count an attempt; one that only adds something is not harmful."""
        ...

    def is_ours(self) -> bool:
        """Say whether pytest or pytest-evosearch is acting."""
        ...


@contextmanager
def guarded_files(
    guard: FileGuard, folder: Path, protected: Path | None, writable: Sequence[Path]
) -> Iterator[None]:
    """Redirect writing to copies in `folder` and refuse deletion outside `writable`."""
    # Who asks first tries to write there, under a lock that our own question would wait for.
    tempfile.gettempdir()
    free = tuple(os.path.realpath(path) for path in writable)
    overlay = _Overlay(guard, folder, protected, free)
    replaced: list[tuple[Any, str, Any]] = []

    def replace(module: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        real = getattr(module, name, None)
        if real is not None:
            replaced.append((module, name, real))
            setattr(module, name, wrap(real))

    opener = overlay.opening(builtins.open)
    replace(builtins, "open", lambda _real: opener)
    replace(io, "open", lambda _real: opener)
    replace(_visible_os, "open", overlay.opening_descriptor)
    accessor = getattr(pathlib, "_normal_accessor", None)
    for owner in (_visible_os, accessor) if accessor is not None else (_visible_os,):
        replace(owner, "mkdir", overlay.making_folder)
        for name in _CHANGING:
            replace(owner, name, overlay.refusing(name))
        for name in ("stat", "lstat"):
            replace(owner, name, overlay.looking)
    replace(shutil, "rmtree", overlay.refusing("rmtree"))
    if accessor is not None:  # pathlib of Python 3.10 has taken the functions away with it
        replace(accessor, "open", lambda _real: opener)
    try:
        yield
    finally:
        for module, name, real in reversed(replaced):
            setattr(module, name, real)
        overlay.remove_empty_folders()


class _Overlay:
    """Which files have copies, and which folders were created."""

    def __init__(
        self, guard: FileGuard, folder: Path, protected: Path | None, writable: tuple[str, ...]
    ) -> None:
        self._guard = guard
        self._folder = folder
        self._protected = protected
        self._writable = writable
        self._copies: dict[str, str] = {}
        self._created: list[str] = []

    def opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `open`."""

        def open(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:  # noqa: A001
            writes = isinstance(mode, str) and not _WRITING.isdisjoint(mode)
            if writes or self._copies:
                file = self._redirected(file, writes, adds="a" in mode)
            return real(file, mode, *arguments, **keywords)

        return open

    def opening_descriptor(self, real: Callable[..., int]) -> Callable[..., int]:
        """Wrap `os.open`."""
        writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

        def open(path: Any, flags: int, *arguments: Any, **keywords: Any) -> int:  # noqa: A001
            if keywords.get("dir_fd") is None and (flags & writing or self._copies):
                adds = bool(flags & (os.O_APPEND | os.O_EXCL))
                path = self._redirected(path, bool(flags & writing), adds)
            return real(path, flags, *arguments, **keywords)

        return open

    def making_folder(self, real: Callable[..., None]) -> Callable[..., None]:
        """Wrap `os.mkdir`: note what is created, to remove it again."""

        def mkdir(path: Any, *arguments: Any, **keywords: Any) -> None:
            real(path, *arguments, **keywords)
            name = self._real_path(path)
            if name is not None and not self._is_free(name) and not self._guard.is_ours():
                self._created.append(name)

        return mkdir

    def looking(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `os.stat`: who asks whether a file is there is told of its copy."""

        def stat(path: Any, *arguments: Any, **keywords: Any) -> Any:
            named = isinstance(path, (str, bytes, os.PathLike))
            if self._copies and named and keywords.get("dir_fd") is None:
                # No real path: looking for that asks for the status of every folder.
                path = self._copy_of(os.path.abspath(os.fsdecode(path))) or path
            return real(path, *arguments, **keywords)

        return stat

    def refusing(self, name: str) -> Callable[[Any], Any]:
        """Return a wrapper that refuses a changing function outside the writable folders."""

        def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(real)
            def change(path: Any, *arguments: Any, **keywords: Any) -> Any:
                paths = [path]
                if name in ("rename", "replace", "link", "symlink") and arguments:
                    paths.append(arguments[0])
                for item in paths:
                    self._check(name, item, keywords)
                resolved = [self._copy_of(self._real_path(item) or "") or item for item in paths]
                return real(resolved[0], *resolved[1:], *arguments[len(resolved) - 1 :], **keywords)

            return change

        return wrap

    def remove_empty_folders(self) -> None:
        """Remove the folders that were created, unless somebody else put something there."""
        for name in reversed(self._created):
            with suppress(OSError):
                os.rmdir(name)

    def _check(self, name: str, path: Any, keywords: dict[str, Any]) -> None:
        if any(keywords.get(key) is not None for key in ("dir_fd", "src_dir_fd")):
            return  # relative to a folder that was opened before; rmtree is checked as a whole
        resolved = self._real_path(path)
        if resolved is None or self._is_free(resolved) or self._guard.is_ours():
            return
        if not _is_there(resolved):
            return  # nothing to harm: the real function says so, or changes a copy
        self._guard.note(f"{name} {resolved}")
        raise PermissionError(errno.EACCES, "the sandbox of pytest-evosearch keeps files", resolved)

    def _redirected(self, file: Any, writes: bool, adds: bool) -> Any:
        name = self._real_path(file)
        if name is None:
            return file
        if not writes or self._is_free(name) or self._guard.is_ours():
            return self._copy_of(name) or file
        if not os.path.isdir(os.path.dirname(name)) or os.path.isdir(name):
            return file  # the real function raises what the application expects
        self._guard.note(f"write {name}", harmful=not adds and _is_there(name))
        return self._copy_of(name) or self._copy(name)

    def _copy_of(self, name: str) -> str | None:
        """Return the copy that stands for a file; none where the copy was undone, or removed."""
        copy = self._copies.get(name)
        return copy if copy is not None and os.path.lexists(copy) else None

    def _copy(self, name: str) -> str:
        folder = self._folder / "files" / str(len(self._copies))
        copy = self._copies.get(name) or str(folder / os.path.basename(name))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        if _is_there(name):
            with self._guard.own_time.counted():
                shutil.copyfile(name, copy)
        self._copies[name] = copy
        self._guard.originals[copy] = name
        return copy

    def _real_path(self, file: Any) -> str | None:
        """Return the absolute path that `file` names, None for descriptors and nonsense."""
        try:
            return os.path.realpath(os.fsdecode(file))
        except (TypeError, ValueError):
            return None

    def _is_free(self, name: str) -> bool:
        if name.startswith(_DEVICES) or is_throw_away(Path(name), self._folder, self._protected):
            return True
        return any(name == free or name.startswith(free + os.sep) for free in self._writable)


def _is_there(name: str) -> bool:
    """Say whether the file itself exists, not its copy: nobody wraps our own `os.lstat`."""
    try:
        os.lstat(name)
    except (OSError, ValueError):
        return False
    return True
