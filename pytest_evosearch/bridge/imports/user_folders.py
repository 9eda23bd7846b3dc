"""Where programs keep files for a user that they can create again."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from pytest_evosearch.core.isolation import os


def user_cache_folder(
    environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Path | None:
    """Return the user's folder for caches; None for a user without a home."""
    given = os.environ if environment is None else environment
    try:
        if platform == "win32":
            return _absolute(given.get("LOCALAPPDATA")) or Path.home() / "AppData" / "Local"
        if platform == "darwin":
            return Path.home() / "Library" / "Caches"
        return _absolute(given.get("XDG_CACHE_HOME")) or Path.home() / ".cache"
    except RuntimeError:
        return None


def _absolute(text: str | None) -> Path | None:
    """Return the path in a variable; None for a relative one, which the XDG standard ignores."""
    return Path(text) if text and os.path.isabs(text) else None
