"""Redirects writes of an application to throw-away copies.

Opening a file for writing outside the temporary folder opens a copy of it. Later reads and listings
of its folder show the copy. A file that is moved there (an atomic write) becomes the copy.
Deleting, renaming and truncating real files is refused. New folders are really created, because
applications require their instance folder, and removed again when empty. The application may move
and remove these.
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

from pytest_evosearch.core.folder_names import is_of_system
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.sandbox.copied_entries import CopiedEntry
from pytest_evosearch.sut.sandbox.copied_entries import Scan
from pytest_evosearch.sut.watching.sqlite_connections import is_throw_away

_CHANGING = (
    "remove",
    "unlink",
    "rmdir",
    "truncate",
    "chmod",
    "chown",
    "link",
    "symlink",
)
"""Functions of `os` that change the file of their first path; the last two, of both paths."""

_WRITING = frozenset("wax+")
_visible_os: Any = sys.modules["os"]


class FileGuard(Protocol):
    """Receives attempts and copies, and knows who is acting."""

    originals: dict[str, str]
    """Path of a copy -> path of the original."""

    @property
    def own_time(self) -> OwnTime:
        """Measures the time for making copies."""
        ...

    def note(self, attempt: str, harmful: bool = True) -> None:
        """Count an attempt; one that only adds something is harmless."""
        ...

    def is_ours(self) -> bool:
        """Say whether pytest or pytest-evosearch is acting."""
        ...


@contextmanager
def guarded_files(
    guard: FileGuard, folder: Path, protected: Path | None, writable: Sequence[Path]
) -> Iterator[None]:
    """Redirect writes to copies in `folder`, and refuse deletion outside `writable`."""
    # A first question would try to write there, under a lock that it would wait for itself.
    tempfile.gettempdir()
    free = tuple(os.path.realpath(path) for path in writable)
    overlay = _Overlay(guard, folder, protected, free)
    try:
        with Patches() as patches:
            _redirect(overlay, patches)
            yield
    finally:
        overlay.remove_empty_folders()


def _redirect(overlay: _Overlay, patches: Patches) -> None:
    opener = overlay.opening(builtins.open)
    for module in (builtins, io):
        patches.setattr(module, "open", opener)
    patches.wrap(_visible_os, "open", overlay.opening_descriptor)
    accessor = getattr(pathlib, "_normal_accessor", None)
    for owner in (_visible_os, accessor) if accessor is not None else (_visible_os,):
        patches.wrap(owner, "mkdir", overlay.making_folder)
        for name in _CHANGING:
            patches.wrap(owner, name, overlay.refusing(name))
        for name in ("stat", "lstat"):
            patches.wrap(owner, name, overlay.looking)
        for name in ("rename", "replace"):
            patches.wrap(owner, name, overlay.moving(name))
        patches.wrap(owner, "listdir", overlay.listing)
        patches.wrap(owner, "scandir", overlay.scanning)
    patches.wrap(shutil, "rmtree", overlay.refusing("rmtree"))
    if accessor is not None:  # pathlib of Python 3.10 keeps its own references to these functions
        patches.wrap(accessor, "open", lambda _real: opener)


class _Overlay:
    """Files with copies, and created folders."""

    def __init__(
        self, guard: FileGuard, folder: Path, protected: Path | None, writable: tuple[str, ...]
    ) -> None:
        self._guard = guard
        self._folder = folder
        self._protected = protected
        self._writable = writable
        self._copies: dict[str, str] = {}
        self._created: list[str] = []
        self._number = 0

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
        """Wrap `os.mkdir`: note created folders, to remove them again."""

        def mkdir(path: Any, *arguments: Any, **keywords: Any) -> None:
            real(path, *arguments, **keywords)
            name = self._real_path(path)
            if name is not None and not self._is_free(name) and not self._guard.is_ours():
                self._created.append(name)

        return mkdir

    def looking(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `os.stat`: a file with a copy has the status of its copy."""

        def stat(path: Any, *arguments: Any, **keywords: Any) -> Any:
            named = isinstance(path, (str, bytes, os.PathLike))
            if self._copies and named and keywords.get("dir_fd") is None:
                # Resolving a real path would ask for the status of every folder.
                path = self._copy_of(os.path.abspath(os.fsdecode(path))) or path
            return real(path, *arguments, **keywords)

        return stat

    def refusing(self, name: str) -> Callable[[Any], Any]:
        """Return a wrapper that refuses a changing function outside the writable folders."""

        def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(real)
            def change(path: Any, *arguments: Any, **keywords: Any) -> Any:
                if self._guard.is_ours():  # files of verification lie beside the copies
                    return real(path, *arguments, **keywords)
                paths = [path]
                if name in ("link", "symlink") and arguments:
                    paths.append(arguments[0])
                for item in paths:
                    self._check(name, item, keywords)
                own = self._real_path(path)
                if name == "rmtree" and own in self._created:
                    self._forget_folder(own or "")
                resolved = [self._copy_of(self._real_path(item) or "") or item for item in paths]
                return real(resolved[0], *resolved[1:], *arguments[len(resolved) - 1 :], **keywords)

            return change

        return wrap

    def moving(self, name: str) -> Callable[[Any], Any]:
        """Return a wrapper of `os.rename` or `os.replace`: it moves copies, but no real file."""

        def wrap(real: Callable[..., None]) -> Callable[..., None]:
            @functools.wraps(real)
            def move(source: Any, target: Any, *arguments: Any, **keywords: Any) -> None:
                old, new = self._real_path(source), self._real_path(target)
                relative = any(value is not None for value in keywords.values())
                if old is None or new is None or relative or self._guard.is_ours():
                    return real(source, target, *arguments, **keywords)
                if old in self._created:
                    self._check(name, target, keywords)
                    real(source, target)
                    return self._follow_folder(old, new)
                self._check(name, source, keywords)
                copy = self._copy_of(old) or source
                if self._is_free(new) or os.path.isdir(new) or not _has_folder(new):
                    return real(copy, target)
                self._guard.note(f"write {new}", harmful=_is_there(new))
                return real(copy, self._place_of(new))

            return move

        return wrap

    def listing(self, real: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """Wrap `os.listdir`: add the names of copies."""

        def listdir(path: Any = ".") -> list[Any]:
            names = real(path)
            added = [entry.name for entry in self._copies_in(path)]
            encode = os.fsencode if isinstance(path, bytes) else str
            return names + [name for name in map(encode, added) if name not in names]

        return listdir

    def scanning(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `os.scandir`: add the entries of copies."""

        def scandir(path: Any = ".") -> Any:
            copies = {} if isinstance(path, bytes) else {e.name: e for e in self._copies_in(path)}
            if not copies or self._guard.is_ours():
                return real(path)
            with real(path) as found:
                return Scan([e for e in found if e.name not in copies] + list(copies.values()))

        return scandir

    def _copies_in(self, folder: Any) -> list[CopiedEntry]:
        """Return the entries of a folder that are copies."""
        if not self._copies or isinstance(folder, int):
            return []
        name = self._real_path(folder)
        copies = [(path, copy) for path, copy in self._copies.items() if copy]
        return [
            CopiedEntry(os.path.join(os.fsdecode(folder), os.path.basename(path)), copy)
            for path, copy in copies
            if os.path.dirname(path) == name and os.path.lexists(copy)
        ]

    def _follow_folder(self, old: str, new: str) -> None:
        """Note that a folder created by the application has moved."""

        def moved(name: str) -> str:
            is_inside = name == old or name.startswith(old + os.sep)
            return new + name[len(old) :] if is_inside else name

        self._created = [moved(name) for name in self._created]
        for path in [path for path in self._copies if moved(path) != path]:
            copy = self._copies[moved(path)] = self._copies.pop(path)
            self._guard.originals[copy] = moved(path)

    def _is_own_folder(self, name: str) -> bool:
        """Say whether the application created a folder and may change it freely.

        Its own files there are copies; a file of another process protects the folder.
        """
        return name in self._created and all(
            path in self._created or (path in self._copies and not _is_there(path))
            for folder, folders, files in os.walk(name)
            for path in (os.path.join(folder, one) for one in (*folders, *files))
        )

    def _forget_folder(self, name: str) -> None:
        """Forget the copies in a folder that is removed as a whole."""
        for path, copy in self._copies.items():
            if path.startswith(name + os.sep):
                with suppress(OSError):
                    os.unlink(copy)

    def remove_empty_folders(self) -> None:
        """Remove created folders, unless another process has put something there."""
        for name in reversed(self._created):
            with suppress(OSError):
                os.rmdir(name)

    def _check(self, name: str, path: Any, keywords: dict[str, Any]) -> None:
        if any(keywords.get(key) is not None for key in ("dir_fd", "src_dir_fd")):
            return  # relative to a folder that was opened before; rmtree is checked as a whole
        resolved = self._real_path(path)
        if resolved is None or self._is_free(resolved) or self._guard.is_ours():
            return
        if not _is_there(resolved) or self._is_own_folder(resolved):
            return  # nothing to harm: the real function raises, or changes a copy
        self._guard.note(f"{name} {resolved}")
        raise PermissionError(errno.EACCES, "the sandbox of pytest-evosearch protects it", resolved)

    def _redirected(self, file: Any, writes: bool, adds: bool) -> Any:
        name = self._real_path(file)
        if name is None:
            return file
        if not writes or self._is_free(name) or self._guard.is_ours():
            return self._copy_of(name) or file
        if not _has_folder(name) or os.path.isdir(name):
            return file  # the real function raises the expected exception
        self._guard.note(f"write {name}", harmful=not adds and _is_there(name))
        return self._copy_of(name) or self._copy(name)

    def _copy_of(self, name: str) -> str | None:
        """Return the copy of a file; None where the copy was undone or removed."""
        copy = self._copies.get(name)
        return copy if copy is not None and os.path.lexists(copy) else None

    def _copy(self, name: str) -> str:
        copy = self._place_of(name)
        if _is_there(name):
            with self._guard.own_time.counted():
                shutil.copyfile(name, copy)
        return copy

    def _place_of(self, name: str) -> str:
        """Return the path of a file's copy, existing or not."""
        copy = self._copies.get(name)
        if copy is None:
            self._number += 1
            folder = self._folder / "files" / str(self._number)
            copy = self._copies[name] = str(folder / os.path.basename(name))
            self._guard.originals[copy] = name
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        return copy

    def _real_path(self, file: Any) -> str | None:
        """Return the absolute path of `file`, None for descriptors and invalid values."""
        try:
            return os.path.realpath(os.fsdecode(file))
        except (TypeError, ValueError):
            return None

    def _is_free(self, name: str) -> bool:
        if is_of_system(name) or is_throw_away(Path(name), self._folder, self._protected):
            return True
        return any(name == free or name.startswith(free + os.sep) for free in self._writable)


def _has_folder(name: str) -> bool:
    """Say whether the folder of a file exists; without it the real function fails."""
    return os.path.isdir(os.path.dirname(name))


def _is_there(name: str) -> bool:
    """Say whether the file itself exists, not its copy: our own `os.lstat` is never wrapped."""
    try:
        os.lstat(name)
    except (OSError, ValueError):
        return False
    return True
