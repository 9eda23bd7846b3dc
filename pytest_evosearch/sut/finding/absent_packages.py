"""Tells whether a call failed because a library lacks a package that it can do without.

That is a matter of the machine: where the package is installed, the call is answered.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from pytest_evosearch.core.folder_names import INSTALLED

_FRAME = re.compile(r'^  File "([^"]+)"', re.MULTILINE)


def absent_package(traceback: str, message: str) -> str:
    """Return the package that a library asks for, imports and does not find; empty for none."""
    *_, last = ("", *_FRAME.findall(traceback))
    file = Path(last)
    if INSTALLED.isdisjoint(file.parts) or not file.is_file():
        return ""
    source = file.read_text(encoding="utf-8", errors="replace")
    named = dict.fromkeys(re.findall(r"[A-Za-z_]\w+", message))
    return next((one for one in named if _is_imported(one, source) and _is_absent(one)), "")


def _is_imported(name: str, source: str) -> bool:
    return re.search(rf"^\s+(?:import|from) {name}\b", source, re.MULTILINE) is not None


def _is_absent(name: str) -> bool:
    try:
        return find_spec(name) is None
    except (ImportError, ValueError):
        return True
