"""Small changes of the application's functions, made while it runs in this process.

A mutant is tried without another interpreter: the functions that it concerns get its code for one
execution (`instrument.probing.live_functions`).  Loops with a condition stay as they are, because a
changed one may never end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from importlib.util import decode_source
from types import CodeType

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.execution.mutating.mutations import mutated
from pytest_evosearch.execution.mutating.mutations import mutations_of
from pytest_evosearch.instrument.probing.live_functions import LiveFunctions
from pytest_evosearch.instrument.probing.live_functions import Place
from pytest_evosearch.instrument.recording import Recording

POSTPONED = "from __future__ import annotations"
"""Statement that keeps annotations from being executed."""


@dataclass(frozen=True)
class LoadedSource:
    """The source of a loaded module."""

    path: str
    """The path in names of targets."""
    filename: str
    """The name of the file in code objects."""
    text: str


def loaded_sources(recording: Recording) -> list[LoadedSource]:
    """Return the sources of the modules with probes, by their paths."""
    found = [
        LoadedSource(one.probes.plan.path, one.guarded.co_filename, decode_source(one.source))
        for one in recording.loaded
    ]
    return sorted(found, key=lambda one: one.path)


@dataclass(frozen=True)
class LiveMutant:
    """One change."""

    target: TargetId
    """The changed statement."""
    source: LoadedSource
    text: str
    """The changed function or class, at its place in the file."""
    number: int


class LiveMutants:
    """The changes of some loaded files."""

    def __init__(self, sources: Sequence[LoadedSource]) -> None:
        self._sources = sources
        self._last: tuple[LiveMutant, Mapping[Place, CodeType]] | None = None
        """The change that ran last, with its code: several tests try one after the other."""

    @cached_property
    def _functions(self) -> LiveFunctions:
        return LiveFunctions(one.filename for one in self._sources)

    def all(self) -> Iterator[LiveMutant]:
        """Yield every change of a statement that is a target, in the order of the sources."""
        for source in self._sources:
            tree = ast.parse(source.text)
            first_lines = _first_lines(tree)
            for text in _definitions(source.text, tree):
                for mutation in mutations_of(text):
                    line = first_lines.get(mutation.line)
                    if line is not None:
                        target = line_target(source.path, line)
                        yield LiveMutant(target, source, text, mutation.number)

    def running(self, mutant: LiveMutant) -> AbstractContextManager[None] | None:
        """Return a block in which the application runs with a change; None where it cannot."""
        if self._last is None or self._last[0] is not mutant:
            before = _compiled(ast.parse(mutant.text), mutant.source)
            after = _compiled(mutated(mutant.text, mutant.number), mutant.source)
            self._last = mutant, self._functions.changed(before, after)
        codes = self._last[1]
        return self._functions.running(codes) if codes else None


def _compiled(tree: ast.Module, source: LoadedSource) -> CodeType:
    code: CodeType = compile(tree, source.filename, "exec", dont_inherit=True)
    return code


def _definitions(text: str, tree: ast.Module) -> Iterator[str]:
    """Yield the outermost functions and classes, each below as many lines as in the file."""
    lines = text.splitlines(keepends=True)
    head = POSTPONED if POSTPONED in text else ""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield head + "\n" * (first - 1) + "".join(lines[first - 1 : node.end_lineno])


def _first_lines(tree: ast.Module) -> dict[int, int]:
    """Return, for each line, the first one of its statement; none in loops with a condition."""
    found: dict[int, int] = {}
    statements = [one for one in ast.walk(tree) if isinstance(one, ast.stmt)]
    for one in statements:  # those inside a statement come after it
        found.update(dict.fromkeys(_lines(one), one.lineno))
    for one in statements:
        is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if isinstance(one, ast.While) or is_text:
            for line in _lines(one):
                found.pop(line, None)
    return found


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
