"""Chooses the folder in which instrumented code is kept between runs.

    .pytest_cache of the project     where it can be written
    a folder of the user's cache     where the checkout is read-only: one for each project
    none                             where pytest may keep nothing (``-p no:cacheprovider``)

Folders in the user's cache that no run has used for a month are removed.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_evosearch.bridge.command_line.project_root import project_root
from pytest_evosearch.bridge.imports.user_folders import user_cache_folder
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.isolation import time

KEPT_SECONDS = 30 * 24 * 3600
"""Seconds after which an unused folder is removed from the user's cache."""

_OWN = Path("pytest-evosearch", "code")


def code_folder(config: pytest.Config) -> Path | None:
    """Return where instrumented code is kept; None when pytest may keep nothing."""
    if not config.pluginmanager.has_plugin("cacheprovider"):
        return None
    root = project_root(config)
    return _of_project(root / ".pytest_cache") or _of_user(root)


def _of_project(cache: Path) -> Path | None:
    """Return the folder in pytest's own cache; None where it cannot be written."""
    if not cache.exists():
        # pytest hides its folder from git only when it makes the folder itself.
        with suppress(OSError):
            cache.mkdir()
            (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = cache / "d" / "evosearch" / "code"
    return folder if _can_be_written(folder) else None


def _of_user(root: Path) -> Path | None:
    """Return the folder of a project in the user's cache, and remove old folders there."""
    caches = user_cache_folder()
    if caches is None:
        return None
    place = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    folder = caches / _OWN / f"{root.name}-{place}"
    if not _can_be_written(folder):
        return None
    with suppress(OSError):
        os.utime(folder)
        _sweep(folder.parent, time.time() - KEPT_SECONDS)
    return folder


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _sweep(folder: Path, oldest: float) -> None:
    """Remove the folders of projects that no run has used since `oldest`."""
    for project in list(folder.iterdir()):
        if project.is_dir() and not project.is_symlink() and project.stat().st_mtime < oldest:
            shutil.rmtree(project, ignore_errors=True)
