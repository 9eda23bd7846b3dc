"""Test modules that pytest itself skips, though they set the application up.

A ``tests.py`` with `unittest.TestCase` classes is usually started directly (``python tests.py``,
``flask test``).  pytest's default for ``python_files`` does not include that name.
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
