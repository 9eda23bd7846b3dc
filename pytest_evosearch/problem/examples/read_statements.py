"""Reads the statements of a test in order, without running them.

With a known condition, only the chosen branch is read; otherwise both branches. A loop over a
literal is read for its first items.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_evosearch.problem.examples.known_conditions import decided
from pytest_evosearch.problem.examples.read_expressions import Evaluator
from pytest_evosearch.problem.examples.values import UNKNOWN

MOST_ITEMS = 3
"""Most items of one loop that are read."""


def walk(body: Sequence[ast.stmt], evaluator: Evaluator) -> object:
    """Read statements in order; return what the function returns or yields, if known."""
    result: object = UNKNOWN
    for node in body:
        found = _read(node, evaluator)
        if result is UNKNOWN:
            result = found
    return result


def _read(node: ast.stmt, evaluator: Evaluator) -> object:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        assign(node, evaluator)
        return UNKNOWN
    if isinstance(node, ast.Return):
        return evaluator.evaluate(node.value)
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Yield):
            return evaluator.evaluate(node.value.value)
        evaluator.evaluate(node.value)
        return UNKNOWN
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            value = evaluator.evaluate(item.context_expr)
            _bind(item.optional_vars, value, evaluator)
        return walk(node.body, evaluator)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return _loop(node, evaluator)
    if isinstance(node, ast.If):
        known = decided(node.test, evaluator)
        chosen = {True: node.body, False: node.orelse, None: [*node.body, *node.orelse]}
        return walk(chosen[known], evaluator)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return UNKNOWN
    return _others(node, evaluator)


def _others(node: ast.stmt, evaluator: Evaluator) -> object:
    """Read another kind of statement: its expressions, then its blocks."""
    result: object = UNKNOWN
    for _name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            evaluator.evaluate(value)
        elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            found = walk(value, evaluator)
            result = found if result is UNKNOWN else result
    return result


def _loop(node: ast.For | ast.AsyncFor, evaluator: Evaluator) -> object:
    items = evaluator.evaluate(node.iter)
    result: object = UNKNOWN
    for item in items[:MOST_ITEMS] if isinstance(items, list) and items else [UNKNOWN]:
        _bind(node.target, item, evaluator)
        found = walk(node.body, evaluator)
        result = found if result is UNKNOWN else result
    return result


def assign(node: ast.Assign | ast.AnnAssign, evaluator: Evaluator) -> None:
    """Assign a value to names, to attributes of `self`, and to items."""
    value = evaluator.evaluate(node.value)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        _bind(target, value, evaluator)


def _bind(target: ast.expr | None, value: object, evaluator: Evaluator) -> None:
    if isinstance(target, ast.Name):
        evaluator.names[target.id] = value
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        if target.value.id == "self":
            evaluator.names[f"self.{target.attr}"] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value if isinstance(value, list) else []
        for index, element in enumerate(target.elts):
            _bind(element, values[index] if index < len(values) else UNKNOWN, evaluator)
    elif isinstance(target, ast.Subscript):
        holder = evaluator.evaluate(target.value)
        key = evaluator.evaluate(target.slice)
        if isinstance(holder, dict) and isinstance(key, (str, int)):
            holder[key] = value
