"""Finds ``with`` statements that may swallow an exception.

According to the source, these are ``contextlib.suppress``, and the module's own context managers
whose ``__exit__`` returns something, or that yield inside a ``try`` with handlers.
"""

from __future__ import annotations

import ast

from pytest_evosearch.instrument.transformation.nodes import NodesByType

KNOWN = frozenset({"suppress", "ignored"})
EXITS = frozenset({"__exit__", "__aexit__"})
DECORATORS = frozenset({"contextmanager", "asynccontextmanager"})


def may_swallow(node: ast.With | ast.AsyncWith, own: frozenset[str]) -> bool:
    """Say whether an exception in the body may end there; `own` comes from `own_swallowers`."""
    return any(_name(item.context_expr) in KNOWN | own for item in node.items)


def own_swallowers(module: NodesByType) -> frozenset[str]:
    """Return the names of the context managers of a module that may swallow."""
    classes = module.get(ast.ClassDef, ())
    functions = [*module.get(ast.FunctionDef, ()), *module.get(ast.AsyncFunctionDef, ())]
    return frozenset(
        [node.name for node in classes if _exits_with_a_value(node)]
        + [node.name for node in functions if _catches(node)]
    )


def _name(expression: ast.expr) -> str:
    called = expression.func if isinstance(expression, ast.Call) else expression
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def _exits_with_a_value(node: ast.ClassDef) -> bool:
    return any(
        isinstance(part, ast.Return) and not _is_nothing(part.value)
        for method in node.body
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.name in EXITS
        for part in ast.walk(method)
    )


def _is_nothing(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _catches(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if not any(_name(decorator) in DECORATORS for decorator in node.decorator_list):
        return False
    return any(
        isinstance(part, ast.Try)
        and part.handlers
        and any(isinstance(inner, ast.Yield) for each in part.body for inner in ast.walk(each))
        for part in ast.walk(node)
    )
