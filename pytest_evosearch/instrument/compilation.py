"""Source to code: the transformation and the compiler, silently."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

from pytest_evosearch.instrument.atoms import Needs
from pytest_evosearch.instrument.exclusion import Patterns
from pytest_evosearch.instrument.plan import ModulePlan
from pytest_evosearch.instrument.transform import instrument


def compile_instrumented(
    source: str,
    target_path: str,
    filename: str,
    level: int,
    needs: Needs = lambda _slot: True,
    excluded: Patterns = None,
) -> tuple[CodeType, ModulePlan]:
    """Compile `source` with the placeholder for its probes; raise what `compile` raises."""
    with warnings.catch_warnings(), collector_paused():
        # A plain import reads cached bytecode, and warns only the first time.
        warnings.simplefilter("ignore")
        tree, plan = instrument(source, target_path, level, needs, excluded)
        return compile_tree(tree, filename), plan


def compile_tree(tree: ast.Module, filename: str) -> CodeType:
    """Compile a syntax tree as the import system would."""
    return compile(tree, filename, "exec", dont_inherit=True, optimize=-1)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector away from a tree of which nothing is garbage yet.

    It would walk the tree, and what the application has imported, again and again: an eighth of
    the time of a first start.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
