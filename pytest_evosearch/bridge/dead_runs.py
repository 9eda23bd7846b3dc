"""Puts back what a run of pytest-evosearch has changed in the project that died.

This happens before any ``conftest.py`` is read, in every run of pytest that has the plugin: what
fixtures open is to be what it was.  Where no run has died it costs a look at one folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.safekeeping import PLACE
from pytest_evosearch.core.safekeeping import REPLACED
from pytest_evosearch.core.safekeeping import put_back_all
from pytest_evosearch.core.scratch import remove_orphans

if TYPE_CHECKING:
    import pytest

SHOWN = 5
"""Paths that are named."""


def put_back_after_death(config: pytest.Config) -> list[str]:
    """Put back what dead runs have changed; return lines that say so, none in most runs."""
    lines = []
    for root in dict.fromkeys((config.rootpath, config.invocation_params.dir)):
        place = root.joinpath(*PLACE)
        if os.path.isdir(place):
            found = put_back_all(place)
            remove_orphans()
            lines += _told(found, root)
    return lines


def tell(config: pytest.Config, lines: list[str]) -> None:
    """Write the lines to the terminal, whatever options make it quiet."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        for line in lines:
            reporter.write_line(line)


def _told(found: list[str], root: Path) -> list[str]:
    if not found:
        return []
    names = [os.path.relpath(path, root) for path in found]
    named = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
    aside = os.path.join(*PLACE[:-1], REPLACED)
    changed = f"evosearch: put back what a run that was killed had changed: {named}"
    return [f"{changed} (what stood there now lies in {aside})"]
