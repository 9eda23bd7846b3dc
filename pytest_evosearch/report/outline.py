"""The outline of a source file: its functions, and what its handlers of exceptions catch."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class FunctionSpan:
    """One function of a source file."""

    name: str
    first: int
    """First line, with decorators."""
    last: int
    decorators: tuple[str, ...] = ()
    """Source texts of its decorators."""

    def holds(self, line: int) -> bool:
        """Say whether `line` lies inside."""
        return self.first <= line <= self.last


@dataclass(frozen=True)
class Outline:
    """What the reasons need to know about one file."""

    functions: tuple[FunctionSpan, ...] = ()
    caught: dict[int, str] = field(default_factory=dict)
    """Line of an ``except`` -> the exceptions that it names."""
    tries: tuple[tuple[int, int, int], ...] = ()
    """(first line, last line) of the body of each ``try``, with the line of each handler."""
    lines: tuple[str, ...] = ()
    """The source, as a list of lines."""

    def enclosing(self, line: int) -> FunctionSpan | None:
        """Return the innermost function around `line`; None at module level."""
        return self._innermost.get(line)

    @cached_property
    def _innermost(self) -> Mapping[int, FunctionSpan]:
        """Return each line inside a function, with the innermost one."""
        found: dict[int, FunctionSpan] = {}
        for span in sorted(self.functions, key=lambda span: span.first, reverse=True):
            for line in range(span.first, span.last + 1):
                found.setdefault(line, span)
        return found

    def text(self, line: int) -> str:
        """Return the text of `line` without line breaks; empty for a line that does not exist."""
        return " ".join(self.lines[line - 1].split()) if 0 < line <= len(self.lines) else ""


class Outlines(Mapping[str, Outline]):
    """The outlines of many files, each made when it is first needed."""

    def __init__(self, sources: Mapping[str, Callable[[], str]]) -> None:
        """Take the functions that read the source of each path."""
        self._sources = sources
        self._made: dict[str, Outline] = {}

    def __getitem__(self, path: str) -> Outline:
        if path not in self._made:
            self._made[path] = outline_of(self._sources[path]())
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def outline_of(source: str) -> Outline:
    """Return the outline of `source`; an empty one when it is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Outline()
    nodes = tuple(ast.walk(tree))  # only once: a large application has a million nodes
    return Outline(
        tuple(_function_span(node) for node in nodes if isinstance(node, FUNCTIONS)),
        {
            node.lineno: ast.unparse(node.type) if node.type is not None else "any exception"
            for node in nodes
            if isinstance(node, ast.ExceptHandler)
        },
        tuple(
            (node.body[0].lineno, node.body[-1].end_lineno or 0, handler.lineno)
            for node in nodes
            if isinstance(node, ast.Try)
            for handler in node.handlers
        ),
        tuple(source.split("\n")),
    )


def _function_span(node: Function) -> FunctionSpan:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
    return FunctionSpan(node.name, first, node.end_lineno or node.lineno, decorators)
