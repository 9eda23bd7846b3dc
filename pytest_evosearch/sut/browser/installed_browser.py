"""Finds an installed browser, before anything replaces the home folder or the search path."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path

from pytest_evosearch.errors import InvalidSetting

VARIABLE = "EVOSEARCH_BROWSER"
"""Names the program of a browser."""

SHELL = "chromium-headless-shell"
"""The program that starts fastest."""

PROGRAMS = (SHELL, "chromium", "google-chrome")
"""Programs of a system, the fastest to start first."""

DOWNLOADED = (
    "chromium_headless_shell-*/*/*headless*shell",
    "chromium-*/*/chrome",
)
"""Where Playwright puts what it downloads."""


def found_browser(
    environment: Mapping[str, str],
    home: Path,
    which: Callable[[str], str | None] = shutil.which,
) -> str:
    """Return the program of a browser; raise `InvalidSetting` where there is none."""
    if importlib.util.find_spec("playwright") is None:
        raise InvalidSetting(
            "--evosearch-browser needs Playwright: pip install 'pytest-evosearch[browser]'"
        )
    named = environment.get(VARIABLE)
    if named:
        program = which(named)
        if program is None:
            raise InvalidSetting(f"{VARIABLE}={named} is no program: name that of a Chromium")
        return program
    program = next(
        (
            path
            for path in (
                _downloaded(environment, home),
                *map(which, PROGRAMS),
            )
            if path
        ),
        None,
    )
    if program is None:
        raise InvalidSetting(
            "--evosearch-browser finds no browser: run 'playwright install chromium', install the "
            f"package chromium of your system, or set {VARIABLE} to the path of one"
        )
    return program


def _downloaded(environment: Mapping[str, str], home: Path) -> str | None:
    """Return the newest browser that Playwright has downloaded, None where there is none."""
    given = environment.get("PLAYWRIGHT_BROWSERS_PATH", "")
    caches = (home / ".cache/ms-playwright", home / "Library/Caches/ms-playwright")
    for folder in (Path(given),) if given not in ("", "0") else caches:
        for pattern in DOWNLOADED:
            programs = sorted(folder.glob(pattern))
            if programs:
                return str(programs[-1])
    return None
