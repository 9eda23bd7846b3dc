"""The functions of a source text, and the lines of their statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """One function, without the functions and classes inside it."""

    name: str
    """Qualified, as in ``Shop.total``."""
    lines: frozenset[int]
    """Lines of the statements in its body; the header runs when the function is defined."""


@dataclass(frozen=True)
class Layout:
    """The functions of one source text, and the statement of each line."""

    functions: tuple[Function, ...]
    statements: tuple[tuple[int, int], ...]
    """First and last line of each statement; for a compound one only its header."""

    def function_at(self, line: int) -> Function | None:
        """Return the innermost function that has `line` in its body."""
        return next((found for found in self.functions if line in found.lines), None)

    def statement_at(self, line: int) -> range:
        """Return the lines of the statement around `line`; only the line without one."""
        first, last = min(
            (span for span in self.statements if span[0] <= line <= span[1]),
            key=lambda span: span[1] - span[0],
            default=(line, line),
        )
        return range(first, last + 1)


def layout_of(text: str) -> Layout:
    """Return the layout of a source text; raises SyntaxError."""
    tree = ast.parse(text)
    spans = [_span(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return Layout(tuple(_functions(tree, "")), tuple(spans))


def _functions(node: ast.AST, prefix: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}.{child.name}" if prefix else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(name, frozenset(_own_lines(child)))
        yield from _functions(child, name)


def _own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    lines = set(_body_lines(function))
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node is not function:
            lines -= set(_body_lines(node))
    return lines


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    return range(_first_line(function.body[0]), (function.end_lineno or 0) + 1)


def _span(statement: ast.stmt) -> tuple[int, int]:
    first = _first_line(statement)
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return first, statement.end_lineno or statement.lineno
    opening = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    return first, max(first, statement.lineno, _first_line(opening) - 1)


def _first_line(node: ast.stmt | ast.pattern) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
