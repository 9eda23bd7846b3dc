"""The meta-path finder: asks the finders behind it, and replaces the loader of selected sources."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.machinery import SourceFileLoader
from types import ModuleType

from pytest_evosearch.instrument.loading.cache import CodeCache
from pytest_evosearch.instrument.loading.loader import InstrumentingLoader
from pytest_evosearch.instrument.loading.module_selection import Selection
from pytest_evosearch.instrument.recording import Recording


class InstrumentingFinder(MetaPathFinder):
    """Is first on `sys.meta_path`; does not affect modules that it does not select."""

    def __init__(
        self,
        selection: Selection,
        recording: Recording,
        cache: CodeCache | None = None,
        replaceable: tuple[type, ...] = (),
    ) -> None:
        self._replaceable = (SourceFileLoader, *replaceable)
        self.cache = cache
        self.selection = selection
        self.recording = recording
        self._searching = threading.local()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the next finders, with our loader for selected source files."""
        if not self.selection.may_accept(fullname) or getattr(self._searching, "active", False):
            return None
        self._searching.active = True
        try:
            spec = self._delegate(fullname, path, target)
        finally:
            self._searching.active = False
        # Exactly these types: modules of other loaders keep them.
        is_ours = spec is not None and type(spec.loader) in self._replaceable
        if is_ours and spec is not None and spec.origin and spec.has_location:
            file = self.selection.file_of(spec.origin)
            if file is not None and self.selection.accepts(fullname, file):
                spec.loader = InstrumentingLoader(
                    fullname, spec.origin, file, self.recording, self.selection, self.cache
                )
        return spec

    def _delegate(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders = list(sys.meta_path)
        behind = finders[finders.index(self) + 1 :] if self in finders else finders
        for finder in behind:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(fullname, path, target) if find else None
            if spec is not None:
                return spec
        return None

    def invalidate_caches(self) -> None:
        """Do nothing: there are no caches."""
