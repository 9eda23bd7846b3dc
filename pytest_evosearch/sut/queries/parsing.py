"""Trees of statements, by sqlglot: an extra, imported when the first statement is parsed."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

MOST_TREES = 2048
"""Statements whose trees are kept."""


@lru_cache(maxsize=1)
def sqlglot() -> Any:
    """Return the package, None where it is not installed."""
    with suppress(ImportError):
        module = import_module("sqlglot")
        # It tells of statements that it takes for commands; here they are only passed over.
        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        return module
    return None


@lru_cache(maxsize=1)
def expressions() -> Any:
    """Return the package's classes of nodes."""
    return import_module("sqlglot.expressions")


@lru_cache(maxsize=MOST_TREES)
def tree_of(text: str, dialect: str) -> Any:
    """Return the tree of one statement, None for what cannot be parsed."""
    package = sqlglot()
    if package is None:
        return None
    try:
        return package.parse_one(text, read=dialect)
    except Exception:  # its errors, and others of its own on odd input
        return None


def part(tree: Any, name: str) -> Any:
    """Return an argument of a node; newer releases call ``from`` and ``with`` otherwise."""
    found = tree.args.get(name)
    return tree.args.get(f"{name}_") if found is None else found
