"""Finds the inputs in a condition of the application, even through variables.

``if year > 2026:`` does not name an input, but ``year = request.form.get("birth_year")`` before it
does.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Iterator
from typing import TypeAlias

MOST_STEPS = 3
"""Most assignments that are followed back from a condition."""

_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


class DecidingSource:
    """The source of one module, to look up its conditions."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._functions = [
            node
            for node in _nodes(text)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        self._given: dict[_Function, dict[str, list[tuple[int, ast.expr]]]] = {}
        self._known: dict[int, str] = {}

    def at(self, line: int) -> str:
        """Return a line of source, with the assignments of the names on it."""
        if line not in self._known:
            self._known[line] = "\n".join(self._read(line))
        return self._known[line]

    def _read(self, line: int) -> Iterator[str]:
        if not 0 < line <= len(self._lines):
            return
        yield self._lines[line - 1].strip()
        function = self._around(line)
        if function is None:
            return
        if function not in self._given:
            self._given[function] = _assignments(function)
        given = self._given[function]
        names = _names(node for node in ast.walk(function) if _stands_on(node, line))
        seen: set[str] = set()
        for _ in range(MOST_STEPS):
            sources = [_last_before(given.get(name, ()), line) for name in names - seen]
            seen |= names
            values = [value for value in sources if value is not None]
            yield from (ast.unparse(value) for value in values)
            names = _names(node for value in values for node in ast.walk(value))

    def _around(self, line: int) -> _Function | None:
        """Return the innermost function around a line."""
        around = [one for one in self._functions if one.lineno <= line <= (one.end_lineno or 0)]
        return max(around, key=lambda one: one.lineno, default=None)


def _nodes(text: str) -> Iterable[ast.AST]:
    try:
        return list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def _stands_on(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", 0) == line


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _assignments(function: _Function) -> dict[str, list[tuple[int, ast.expr]]]:
    """Return the values that a function assigns to its names, with lines, in order."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    for node in ast.walk(function):
        for target, value in _given(node):
            for name in _names(ast.walk(target)):
                found.setdefault(name, []).append((value.lineno, value))
    return {name: sorted(values, key=lambda one: one[0]) for name, values in found.items()}


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the assignments of a node: target and value."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter


def _last_before(values: list[tuple[int, ast.expr]] | tuple[()], line: int) -> ast.expr | None:
    """Return the last value that was assigned before a line."""
    place = bisect_right([number for number, _ in values], line)
    return values[place - 1][1] if place else None
