"""Finds files that every run of the tests opens: files of the project, and files with fixed names.

A file of pytest's ``tmp_path`` or of `tempfile` has another name in each run. A name in the source
or in a settings file (``/tmp/shop.db``) is fixed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from pytest_evosearch.sut.watching.sqlite_connections import absolute


def is_shared(path: Path, root: Path) -> bool:
    """Say whether every run of the tests of the project at `root` opens this file."""
    path, temporary = absolute(path), absolute(Path(tempfile.gettempdir()))
    if path.is_relative_to(absolute(root)) or not path.is_relative_to(temporary):
        return True
    name = path.relative_to(temporary).parts[:1]
    return bool(name) and any(name[0] in text for text in _texts_of(root))


def _texts_of(root: Path) -> Iterator[str]:
    """Yield the source of the project's loaded modules, and its settings."""
    place = str(absolute(root))
    loaded = [str(getattr(module, "__file__", None) or "") for module in [*sys.modules.values()]]
    sources = (Path(file) for file in loaded if file.startswith(place) and file.endswith(".py"))
    patterns = ("*.ini", "*.cfg", "*.toml", "*.env", ".env*")  # files that may name other files
    settings = chain.from_iterable(map(root.glob, patterns))
    for file in chain(sources, sorted(settings)):
        with suppress(OSError):
            yield file.read_text(encoding="utf-8", errors="replace")
