"""Finds out how a project awaits coroutines in its own tests."""

from __future__ import annotations

import re
import sys
from itertools import islice
from pathlib import Path

from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files

MOST_FILES = 300
"""Most files of tests that are read."""

_ALWAYS = re.compile(r"(?m)^\s*asyncio_mode\s*=\s*[\"']?auto")


def loop_mark(root: Path, without: Path) -> str:
    """Return the mark of the project's own tests that are coroutines; empty without such tests.

    Tests in the folder `without` are not the project's own.
    """
    loaded = [mark for mark in ("asyncio", "anyio") if _is_loaded(mark)]
    configured = (file for ending in ("ini", "toml", "cfg") for file in root.glob(f"*.{ending}"))
    if "asyncio" in loaded and any(map(_ALWAYS.search, map(read_source, configured))):
        return "asyncio"
    files = (one for one in source_files(root, tests=True) if without not in one.parents)
    for text in map(read_source, islice(files, MOST_FILES)) if loaded else ():
        for mark in loaded:
            if f"mark.{mark}" in text:
                return mark
    return ""


def _is_loaded(mark: str) -> bool:
    """Say whether pytest has loaded a plugin that runs coroutines with this mark."""
    return f"pytest_{mark}" in sys.modules or f"{mark}.pytest_plugin" in sys.modules
