"""Puts back what a dead run of this plugin changed in the project.

This happens before any ``conftest.py`` is read, in every run of pytest with the plugin, so that
fixtures open the files as they were.  Where no run has died, it costs a look at one folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_evosearch.core.failing.putting_back import PLACE
from pytest_evosearch.core.failing.putting_back import REPLACED
from pytest_evosearch.core.failing.putting_back import put_back_all
from pytest_evosearch.core.folder_names import KEPT
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import remove_orphans

if TYPE_CHECKING:
    import pytest

SHOWN = 5
"""Paths that are shown, at most."""


def put_back_after_death(config: pytest.Config) -> list[str]:
    """Restore what dead runs changed; return lines about it, none in most runs."""
    lines = []
    for root in dict.fromkeys((config.rootpath, config.invocation_params.dir)):
        place = root / PLACE
        if os.path.isdir(place):
            found = put_back_all(place)
            remove_orphans()
            lines += _described(found, root)
    return lines


def show(config: pytest.Config, lines: list[str]) -> None:
    """Write the lines to the terminal, even when options make it quiet."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        for line in lines:
            reporter.write_line(line)


def _described(found: list[str], root: Path) -> list[str]:
    if not found:
        return []
    names = [os.path.relpath(path, root) for path in found]
    named = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
    aside = os.path.join(KEPT, REPLACED)
    changed = f"evosearch: restored what a killed run had changed: {named}"
    return [f"{changed} (files that were in their place are now in {aside})"]
