"""Keeps instrumented code between runs, in separate files.

A file contains a key, the marshalled code with the sizes of its units, and the parts of the packed
plan. Each part is only read when it is needed. The key is a hash of the source, the names in the
code, the level, the interpreter and the transformation itself, so an outdated file is rewritten.
Files are written atomically. After any failure, the module is transformed as without a cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import sys
from importlib.util import decode_source
from itertools import accumulate
from pathlib import Path
from struct import Struct

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.isolation import os
from pytest_evosearch.instrument.transformation.assembly import Parts
from pytest_evosearch.instrument.transformation.compilation import compile_instrumented
from pytest_evosearch.instrument.transformation.exclusion import Patterns
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.plan import Plan
from pytest_evosearch.instrument.transformation.plan import StoredPlan
from pytest_evosearch.instrument.transformation.plan import packed

_LENGTH = Struct("<Q")
SUFFIX = "evosearch"


class CodeCache:
    """Instrumented code of one level in the files of one folder."""

    def __init__(self, folder: Path, level: int, excluded: Patterns = None) -> None:
        self._folder = os.fspath(folder)
        self._level = level
        self._excluded = excluded
        self._base = hashlib.sha256(_fingerprint(level, excluded))
        self._process = os.getpid()

    def load(self, source: bytes, target_path: str, filename: str) -> tuple[Parts, Plan] | None:
        """Return what `store` kept for exactly this source, None when there is nothing."""
        key, file = self._key(source, target_path, filename), self._file(filename)
        try:
            sizes, ends, code = marshal.loads(_read(file, key))
        except Exception:  # a broken file counts as a missing one
            return None

        def read_part(number: int) -> bytes:
            try:
                start = ends[number - 1] if number else 0
                return _read(file, key, (start, ends[number]))
            except Exception:  # another process removed or replaced the file
                text = decode_source(source)
                plan = compile_instrumented(
                    text, target_path, filename, self._level, excluded=self._excluded
                )[1]
                return packed(plan)[number]

        return code, StoredPlan(target_path, sizes, read_part)

    def store(
        self, source: bytes, target_path: str, filename: str, code: Parts, plan: ModulePlan
    ) -> None:
        """Keep transformed code, split into parts, and its plan.

        A fork keeps nothing: what imports a module there may be a call that must write no file.
        """
        if os.getpid() != self._process:
            return
        try:
            parts = packed(plan)
            ends = tuple(accumulate(map(len, parts)))
            first = marshal.dumps((tuple(plan.sizes), ends, code))
            head = self._key(source, target_path, filename) + _LENGTH.pack(len(first))
            _write(Path(self._file(filename)), b"".join((head, first, *parts)))
        except Exception:  # a full disk, or a folder that is not writable
            return

    def _key(self, source: bytes, target_path: str, filename: str) -> bytes:
        key = self._base.copy()
        key.update(f"{target_path}\0{filename}\0".encode("utf-8", "surrogateescape"))
        hashed = importlib.util.source_hash(source)
        return key.digest()[: -len(hashed)] + hashed

    def _file(self, filename: str) -> str:
        place = importlib.util.source_hash(filename.encode("utf-8", "surrogateescape")).hex()
        stem = os.path.splitext(os.path.basename(filename))[0]
        tag = f"level{self._level}.{sys.implementation.cache_tag}.{SUFFIX}"
        return os.path.join(self._folder, f"{stem}-{place}.{tag}")


def _fingerprint(level: int, excluded: Patterns) -> bytes:
    """Return a fingerprint of this transformation on this interpreter."""
    own = Path(__file__).parents[1]
    sources = [path.read_bytes() for path in sorted(own.rglob("*.py"))]
    options = (level, excluded, sys.flags.optimize, sys.version, importlib.util.MAGIC_NUMBER)
    return b"".join((repr(options).encode(), *sources))


def _read(path: str, key: bytes, part: tuple[int, int] | None = None) -> bytes:
    """Return the code in the file at `path`, or a part of the bytes after it.

    Raises ValueError when the file has another key.
    """
    # Not `open`: the application, or the sandbox around it, may have replaced it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        head = os.read(descriptor, len(key) + _LENGTH.size)
        if head[: len(key)] != key:
            raise ValueError(path)
        (size,) = _LENGTH.unpack_from(head, len(key))
        if part is None:
            return _all_of(descriptor, size)
        os.lseek(descriptor, size + part[0], os.SEEK_CUR)
        return _all_of(descriptor, part[1] - part[0])
    finally:
        os.close(descriptor)


def _all_of(descriptor: int, size: int) -> bytes:
    content = os.read(descriptor, size)
    while len(content) < size:
        more = os.read(descriptor, size - len(content))
        if not more:
            raise EOFError
        content += more
    return content


def _write(path: Path, content: bytes) -> None:
    try:
        replace_content(path, content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_content(path, content)
