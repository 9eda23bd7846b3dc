"""Chooses the folder in which instrumented code is kept between runs: one in pytest's own cache."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from pytest_evosearch.bridge.command_line.project_root import project_root
from pytest_evosearch.core.isolation import os


def code_folder(config: pytest.Config) -> Path | None:
    """Return where instrumented code is kept; None where pytest may, or can, keep nothing."""
    if not config.pluginmanager.has_plugin("cacheprovider"):
        return None
    cache = project_root(config) / ".pytest_cache"
    if not cache.exists():
        # pytest hides its folder from git only when it makes the folder itself.
        with suppress(OSError):
            cache.mkdir()
            (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = cache / "d" / "evosearch" / "code"
    return folder if _can_be_written(folder) else None


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
