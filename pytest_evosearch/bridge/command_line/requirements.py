"""Which versions of other packages a search needs.

Installing the plugin replaces no version that a project has pinned.  So the plugin's requirements
have no lower bounds.  This module checks them when a search starts; other runs of pytest do not
need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import metadata

NEEDED = (("pytest", "7.4"), ("pluggy", "1.2"), ("Flask", "2.2"), ("Werkzeug", "2.2"))
"""Distributions with the first version that a search works with."""


def missing_requirements(version_of: Callable[[str], str] = metadata.version) -> str | None:
    """Return one line that says what is missing or too old for a search; None if nothing."""
    lacking = [phrase for name, least in NEEDED if (phrase := _lack(name, least, version_of))]
    if not lacking:
        return None
    names = " ".join(f"'{name}>={least}'" for name, least in NEEDED)
    return (
        f"evosearch: a search cannot run here: {', '.join(lacking)}; run it in a virtual "
        f"environment that has newer ones (pip install {names}); other runs of pytest are not "
        "affected"
    )


def _lack(name: str, least: str, version_of: Callable[[str], str]) -> str | None:
    try:
        found = version_of(name)
    except metadata.PackageNotFoundError:
        return f"{name} is not installed"
    return f"{name} {found} is older than {least}" if _numbers(found) < _numbers(least) else None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a version: ``2.2.0rc1`` gives (2, 2, 0)."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()
