"""Finds out how a project awaits coroutines in its own tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MOST_FILES = 300
"""Most files of tests that are read."""

_ALWAYS = re.compile(r"(?m)^\s*asyncio_mode\s*=\s*[\"']?auto")


def loop_mark(root: Path, without: Path) -> str:
    """Return the mark of the project's own tests that are coroutines; empty without such tests.

    Tests in the folder `without` are not the project's own.
    """
    loaded = [mark for mark in ("asyncio", "anyio") if _is_loaded(mark)]
    configured = (file for ending in ("ini", "toml", "cfg") for file in root.glob(f"*.{ending}"))
    if "asyncio" in loaded and any(map(_ALWAYS.search, _texts(configured))):
        return "asyncio"
    files = (one for one in _tests(root) if without not in one.parents)
    for text in _texts(islice(files, MOST_FILES)) if loaded else ():
        for mark in loaded:
            if f"mark.{mark}" in text:
                return mark
    return ""


def _is_loaded(mark: str) -> bool:
    """Say whether pytest has loaded a plugin that runs coroutines with this mark."""
    return f"pytest_{mark}" in sys.modules or f"{mark}.pytest_plugin" in sys.modules


def _tests(root: Path) -> Iterator[Path]:
    for folder in sorted({*root.glob("test*"), root}):
        if folder.is_dir():
            yield from sorted(folder.glob("*.py" if folder == root else "**/*.py"))


def _texts(files: Iterator[Path]) -> Iterator[str]:
    for file in files:
        if file.is_file():
            yield file.read_text(encoding="utf-8", errors="replace")
