"""Compiles source with the transformation, without warnings."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

from pytest_evosearch.instrument.transformation.atoms import Needs
from pytest_evosearch.instrument.transformation.exclusion import Patterns
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.transform import instrument


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection: the thousands of new objects are needed, and have no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def compile_instrumented(
    source: str,
    target_path: str,
    filename: str,
    level: int,
    needs: Needs = lambda _slot: True,
    excluded: Patterns = None,
) -> tuple[CodeType, ModulePlan]:
    """Compile `source` with placeholders for its probes; raise what `compile` raises."""
    with warnings.catch_warnings(), collection_paused():
        # A plain import with cached bytecode shows no warnings either.
        warnings.simplefilter("ignore")
        tree, plan = instrument(source, target_path, level, needs, excluded)
        return compile_tree(tree, filename), plan


def compile_tree(tree: ast.Module, filename: str) -> CodeType:
    """Compile a syntax tree like the import system."""
    return compile(tree, filename, "exec", dont_inherit=True, optimize=-1)
