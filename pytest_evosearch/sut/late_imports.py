"""Changes modules right after they are imported for the first time.

Database drivers and token libraries are slow to import, and a project mostly uses one of many. So
this plugin imports none of them, and changes each before its importer sees it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Change = Callable[[ModuleType], None]


@contextmanager
def changed_modules(changes: Mapping[str, Change]) -> Iterator[LateImports]:
    """Apply `changes` to the modules of these names, including those already imported."""
    for name, change in changes.items():
        if name in sys.modules:
            change(sys.modules[name])
    finder = LateImports(changes)
    sys.meta_path.insert(0, finder)
    try:
        yield finder
    finally:
        sys.meta_path.remove(finder)


class LateImports(MetaPathFinder):
    """Finds the modules to change, with the help of all other finders."""

    def __init__(self, changes: Mapping[str, Change]) -> None:
        self.owner: object = None
        """The object that has installed this finder, to find it again."""
        self._changes = changes
        self._finding: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module's spec with a loader that changes the module, None for all others."""
        change = self._changes.get(fullname)
        if change is None or fullname in self._finding:
            return None
        self._finding.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._finding.discard(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _ChangingLoader(spec.loader, change)
        return spec


class _ChangingLoader(Loader):
    """Loads a module, drops out of its spec, and changes the module."""

    def __init__(self, real: Loader, change: Change) -> None:
        self._real = real
        self._change = change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave module creation to the real loader."""
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module with the real loader, then change it."""
        module.__loader__ = self._real
        if module.__spec__ is not None:
            module.__spec__.loader = self._real
        self._real.exec_module(module)
        self._change(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
