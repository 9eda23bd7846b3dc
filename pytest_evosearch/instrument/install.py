"""Puts the instrumentation in place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path

from pytest_evosearch.instrument.loading.cache import CodeCache
from pytest_evosearch.instrument.loading.finder import InstrumentingFinder
from pytest_evosearch.instrument.loading.module_selection import Selection
from pytest_evosearch.instrument.recording import Recording


def install(
    selection: Sequence[str] | Selection,
    *,
    level: int = 3,
    root: Path | None = None,
    cache: Path | None = None,
    excluded: Sequence[str] | None = None,
    replaceable: tuple[type, ...] = (),
) -> Recording:
    """Instrument the selected modules from now on, as they are imported.

    `selection` is a sequence of dotted package names or a `Selection`; `root` is the folder to
    which targets' paths are relative. Level 0 does nothing, 1 records statements and branches, 2
    adds distances of comparisons, 3 the operands of and/or, calls and hints. The folder `cache`
    keeps instrumented code for the next run, which then starts as fast as a plain one; a missing
    folder is created. Lines in which a regular expression of `excluded` matches are no targets, nor
    are the blocks that they open; None stands for coverage.py's default (see `coverage_settings`).
    Modules with loaders of the types in `replaceable`, or with Python's own, can be instrumented:
    pytest's loader rewrites every module of a package with a plugin. The recording is a context
    manager; `Recording.uninstall` removes everything.
    """
    chosen = (
        selection
        if isinstance(selection, Selection)
        else Selection(packages=tuple(selection), root=root)
    )
    recording = Recording(level, excluded)
    if level <= 0:
        return recording
    kept = CodeCache(cache, level, excluded) if cache is not None else None
    finder = InstrumentingFinder(chosen, recording, kept, replaceable)
    sys.meta_path.insert(0, finder)
    recording.attach(_imported_too_early(chosen), lambda: _remove(finder))
    return recording


def _remove(finder: InstrumentingFinder) -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


def _imported_too_early(selection: Selection) -> list[str]:
    found = []
    for name, module in list(sys.modules.items()):
        loader = getattr(module, "__loader__", None)
        if selection.may_accept(name) and isinstance(loader, SourceFileLoader):
            file = selection.file_of(loader.path)
            if file is not None and selection.accepts(name, file):
                found.append(name)
    return sorted(found)
