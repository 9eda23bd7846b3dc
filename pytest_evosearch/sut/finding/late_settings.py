"""Finds settings that handlers read, and that only the starting function of a program sets.

A program may put what its command line says into ``app.config`` before it calls ``app.run()``.
Without it each handler that reads such a setting crashes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from collections.abc import Iterator
from pathlib import Path

from pytest_evosearch.sut.finding.project_scan import parsed
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files


def late_settings(settings: Collection[str], root: Path) -> dict[str, str]:
    """Return settings that code below `root` reads and sets, and that `settings` lack.

    Each has the place that sets it: ``app.py:37``.
    """
    read: set[str] = set()
    places: dict[str, str] = {}
    for path in source_files(root, tests=False):
        text = read_source(path)
        if ".config" not in text:
            continue
        for name, node in _named_settings(parsed(text)):
            if isinstance(node.ctx, ast.Load):
                read.add(name)
            elif isinstance(node.ctx, ast.Store):
                places.setdefault(name, f"{path.relative_to(root).as_posix()}:{node.lineno}")
    return {name: place for name, place in places.items() if name in read - {*settings}}


def _named_settings(tree: ast.Module) -> Iterator[tuple[str, ast.Subscript]]:
    """Yield the name and the node of each ``app.config["NAME"]``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
            continue
        if isinstance(node.value, ast.Attribute) and node.value.attr == "config":
            yield str(node.slice.value), node
