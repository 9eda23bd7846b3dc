"""What a search needs that a project may have in an older version.

Installing the plugin replaces no version that a project has pinned, so its own requirements have no
lower bounds.  They are looked at when a search is asked for; any other run of pytest does
without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import metadata

NEEDED = (("pytest", "7.4"), ("pluggy", "1.2"), ("Flask", "2.2"), ("Werkzeug", "2.2"))
"""Distributions with the first version that a search works with."""


def missing_requirements(version_of: Callable[[str], str] = metadata.version) -> str | None:
    """Return one line that says what is too old for a search, or missing; None if nothing."""
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
    """Return the numbers that a version begins with: ``2.2.0rc1`` -> (2, 2, 0)."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()
