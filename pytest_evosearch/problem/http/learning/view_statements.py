"""Finds the statements of a view in its source."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from pytest_evosearch.problem.http.exchanges.endpoint import View

_SILENT = (ast.Global, ast.Nonlocal, ast.Try)
"""Statements of which no line is executed."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@lru_cache(maxsize=256)
def statement_lines(view: View) -> frozenset[int]:
    """Return the first lines of the statements of a view; empty where its source is not known."""
    for node in ast.walk(_tree(view.file)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == view.first:
                return frozenset(_lines(node.body))
    return frozenset()


@lru_cache(maxsize=16)
def _tree(file: str) -> ast.Module:
    try:
        with tokenize.open(file) as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _lines(statements: list[ast.stmt]) -> Iterator[int]:
    """Yield the first lines of statements and those in them, without those of inner functions."""
    for statement in statements:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not is_text and not isinstance(statement, _SILENT):
            yield statement.lineno
        if isinstance(statement, _DEFINITIONS):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _lines(getattr(statement, field, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _lines(part.body)
