"""Test modules that pytest itself passes by, though they know how the application is set up.

A ``tests.py`` full of `unittest.TestCase` classes is started by itself (``python tests.py``,
``flask test``); pytest's default for ``python_files`` does not know that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.instrument.loading.module_selection import has_test_cases


def is_overlooked(path: Path, patterns: Sequence[str]) -> bool:
    """Say whether `path` has cases that make a client, and `patterns` do not collect it."""
    if any(map(path.match, patterns)) or not has_test_cases(path):
        return False
    return b"test_client(" in path.read_bytes()
