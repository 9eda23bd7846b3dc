"""Loads the modules of this package as they were installed, with the bytecode beside them.

pytest marks every module of a plugin's distribution for the rewriting of assertions.  It keeps
rewritten code in its own files, but not where ``PYTHONDONTWRITEBYTECODE`` is set, as in most
containers.  There it would parse, rewrite and compile all modules of this package in each run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.machinery import PathFinder
from types import ModuleType

_OURS = f"{__name__.partition('.')[0]}."


class OwnModuleFinder(MetaPathFinder):
    """Finds modules of this package only."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of this package on its path, before the finder of pytest does."""
        if path is None or not fullname.startswith(_OURS):
            return None
        return PathFinder.find_spec(fullname, path, target)


def serve_own_modules() -> OwnModuleFinder:
    """Put a finder for modules of this package first, and return it."""
    finder = OwnModuleFinder()
    sys.meta_path.insert(0, finder)
    return finder


def stop_serving(finder: OwnModuleFinder) -> None:
    """Remove `finder` again."""
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)
