"""The loader: turns source into instrumented code, and never uses ordinary bytecode files."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from pathlib import Path
from types import CodeType

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.instrument.loading.cache import CodeCache
from pytest_evosearch.instrument.loading.module_selection import Selection
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.instrument.transformation.assembly import Parts
from pytest_evosearch.instrument.transformation.assembly import taken_apart
from pytest_evosearch.instrument.transformation.compilation import collection_paused
from pytest_evosearch.instrument.transformation.compilation import compile_instrumented
from pytest_evosearch.instrument.transformation.plan import Plan


class InstrumentingLoader(SourceFileLoader):
    """Loads one module instrumented, or unchanged with a notice when that fails."""

    def __init__(
        self,
        fullname: str,
        path: str,
        file: Path,
        recording: Recording,
        selection: Selection,
        cache: CodeCache | None = None,
    ) -> None:
        super().__init__(fullname, path)
        self._file = file
        self._cache = cache
        self._recording = recording
        self._selection = selection

    def get_code(self, fullname: str) -> CodeType | None:
        """Return instrumented code.

        The inherited method would use ``__pycache__``, and later plain runs would execute
        instrumented bytecode from there.
        """
        began = monotonic()
        try:
            with collection_paused():
                return self._instrumented_code(fullname)
        except Exception as error:  # The application must load, whatever fails here.
            reason = f"{type(error).__name__}: {error}"
        finally:
            self._recording.transforming_seconds += monotonic() - began
        # Outside the handler: an error of the source itself must not be chained to ours.
        code = super().get_code(fullname)
        self._recording.notices.append(f"{self.path} is not instrumented: {reason}")
        return code

    def _instrumented_code(self, fullname: str) -> CodeType:
        file = self._file
        source = self.get_data(self.path)
        target_path = self._selection.relative_path(fullname, file)
        parts, plan = self._transformed(source, target_path)
        return self._recording.assemble(fullname, file, plan, parts, source)

    def _transformed(self, source: bytes, target_path: str) -> tuple[Parts, Plan]:
        level, cache = self._recording.level, self._cache
        found = cache.load(source, target_path, self.path) if cache is not None else None
        if found is not None:
            return found
        text = decode_source(source)
        code, plan = compile_instrumented(
            text, target_path, self.path, level, excluded=self._recording.excluded
        )
        parts = taken_apart(code)
        if cache is not None:
            cache.store(source, target_path, self.path, parts, plan)
        return parts, plan
