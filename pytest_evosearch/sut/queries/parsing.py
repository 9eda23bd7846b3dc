"""Parses statements with sqlglot, an extra that is imported at the first statement."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

MOST_TREES = 2048
"""Most statements whose trees are kept."""


@lru_cache(maxsize=1)
def sqlglot() -> Any:
    """Return the package, None where it is not installed."""
    with suppress(ImportError):
        module = import_module("sqlglot")
        # It logs statements that it treats as commands; here they are only skipped.
        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        return module
    return None


@lru_cache(maxsize=1)
def expressions() -> Any:
    """Return the package's classes of nodes."""
    return import_module("sqlglot.expressions")


@lru_cache(maxsize=MOST_TREES)
def tree_of(text: str, dialect: str) -> Any:
    """Return the tree of one statement, None when it cannot be parsed."""
    package = sqlglot()
    if package is None:
        return None
    try:
        return package.parse_one(text, read=dialect)
    except Exception:  # its errors, and others on unusual input
        return None


def part(tree: Any, name: str) -> Any:
    """Return an argument of a node; newer versions rename ``from`` and ``with``."""
    found = tree.args.get(name)
    return tree.args.get(f"{name}_") if found is None else found
