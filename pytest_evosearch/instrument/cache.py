"""Keeps instrumented code between runs, in files of its own.

A file holds a key and a marshalled (plan, code).  The key hashes the source, the names in the
code, the level, the interpreter and the transformation itself, so that a stale file is
merely written anew.  Files appear whole or not at all; whatever goes wrong, the module is
transformed as if there were no cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import sys
from pathlib import Path
from types import CodeType

from pytest_evosearch.core.isolation import os
from pytest_evosearch.instrument.plan import ModulePlan
from pytest_evosearch.instrument.plan import packed
from pytest_evosearch.instrument.plan import unpacked

SUFFIX = "evosearch"
KEY_SIZE = 32
"""Bytes of a SHA-256."""


class CodeCache:
    """Instrumented code of one level in the files of one folder."""

    def __init__(self, folder: Path, level: int) -> None:
        self._folder = os.fspath(folder)
        self._level = level
        self._base = hashlib.sha256(_fingerprint(level))

    def load(
        self, source: bytes, target_path: str, filename: str
    ) -> tuple[CodeType, ModulePlan] | None:
        """Return what `store` was given for this very source, None when there is nothing."""
        try:
            content = _read(self._file(filename))
            if content[:KEY_SIZE] != self._key(source, target_path, filename):
                return None
            plan, code = marshal.loads(memoryview(content)[KEY_SIZE:])
            return code, unpacked(plan)
        except Exception:  # no cache is as good as a broken one
            return None

    def store(
        self, source: bytes, target_path: str, filename: str, code: CodeType, plan: ModulePlan
    ) -> None:
        """Keep transformed code (with the placeholder for its probes) and its plan."""
        try:
            content = marshal.dumps((packed(plan), code))  # type: ignore[arg-type]
            _write(self._file(filename), self._key(source, target_path, filename) + content)
        except Exception:  # a full disk, a folder that may not be written
            return

    def _key(self, source: bytes, target_path: str, filename: str) -> bytes:
        key = self._base.copy()
        key.update(f"{target_path}\0{filename}\0".encode("utf-8", "surrogateescape"))
        key.update(source)
        return key.digest()

    def _file(self, filename: str) -> str:
        place = hashlib.sha256(filename.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        stem = Path(filename).stem
        tag = f"level{self._level}.{sys.implementation.cache_tag}.{SUFFIX}"
        return os.path.join(self._folder, f"{stem}-{place}.{tag}")


def _fingerprint(level: int) -> bytes:
    """Tell this transformation, on this interpreter, from any other."""
    own = Path(__file__).parent
    sources = [(path.name, path.read_bytes()) for path in sorted(own.glob("*.py"))]
    options = (level, sys.flags.optimize, sys.version, importlib.util.MAGIC_NUMBER)
    return repr((options, sources)).encode()


def _read(path: str) -> bytes:
    # Not `open`: the application, or the sandbox around it, may have replaced it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(descriptor).st_size
        content = os.read(descriptor, size)
        while len(content) < size:
            more = os.read(descriptor, size - len(content))
            if not more:
                break
            content += more
        return content
    finally:
        os.close(descriptor)


def _write(path: str, content: bytes) -> None:
    unfinished = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(unfinished, flags, 0o666)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(unfinished, flags, 0o666)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
