"""Turns the source of an expression back into the value tree that it was printed from."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable

ChangeName: TypeAlias = "Callable[[str, object], bool]"
"""Called to give a variable another value; returns whether that is possible."""

WITHOUT_REASON = "changes between runs"
"""Reason of an ``ANY`` that has no comment."""


def tree_of(node: ast.expr, lines: Sequence[str]) -> object:
    """Return the value tree of `node`, which is in the source `lines`.

    Literals become values, ``ANY`` becomes `Unstable` with the reason in its comment, and all other
    code becomes an `Expression`.
    """
    if isinstance(node, ast.Dict):
        return {
            _key_of(key, value, lines): tree_of(value, lines) if key is not None else None
            for key, value in zip(node.keys, node.values, strict=True)
        }
    if isinstance(node, ast.List):
        return [tree_of(element, lines) for element in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(tree_of(element, lines) for element in node.elts)
    if isinstance(node, ast.Name) and node.id == "ANY":
        return Unstable(_reason(node, lines))
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _computed(node)


def _key_of(key: ast.expr | None, value: ast.expr, lines: Sequence[str]) -> object:
    if key is None:
        return Expression(f"**{ast.unparse(value)}")
    return tree_of(key, lines)


def _computed(node: ast.expr) -> object:
    """Return the value of ``"a" * 24 + "b"`` and ``float("nan")``, otherwise the code."""
    if isinstance(node, ast.BinOp):
        left, right = tree_of(node.left, ()), tree_of(node.right, ())
        if isinstance(node.op, ast.Mult) and isinstance(left, str) and isinstance(right, int):
            return left * right
        if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
            return left + right
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" and len(node.args) == 1:
        argument = node.args[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return float(argument.value)
    return Expression(_double_quoted(ast.unparse(node)))


def _double_quoted(code: str) -> str:
    """Return the result of `ast.unparse` with black's quotes, where only the quotes change."""
    return code if '"' in code or "\\" in code else code.replace("'", '"')


def _reason(node: ast.expr, lines: Sequence[str]) -> str:
    """Return the comment after ``ANY``, or the one on the line above it."""
    behind = lines[node.lineno - 1].partition("#")[2].strip()
    above = lines[node.lineno - 2].strip() if node.lineno >= 2 else ""
    if behind:
        return behind
    return above.removeprefix("#").strip() if above.startswith("#") else WITHOUT_REASON


def merged(tree: object, expected: object, observed: object, change: ChangeName) -> object:
    """Return `tree` with the smallest changes that make it equal to `observed`.

    `expected` is the present value of the tree; `observed` may contain `Unstable` leaves. ``ANY``
    stays, and so does every expression with the right value. Another expression is replaced by a
    literal, unless `change` can give its variable another value.
    """
    if isinstance(tree, Unstable):
        return tree
    if isinstance(observed, Unstable):
        return observed
    if isinstance(tree, dict) and isinstance(observed, dict) and isinstance(expected, dict):
        return _merged_dict(tree, expected, observed, change)
    if isinstance(tree, (list, tuple)) and isinstance(observed, list):
        if isinstance(expected, list) and len(tree) == len(observed) == len(expected):
            parts = zip(tree, expected, observed, strict=True)
            return [merged(*part, change) for part in parts]
    elif expected == observed or (isinstance(tree, Expression) and change(tree.code, observed)):
        return tree
    return observed


def _merged_dict(
    tree: dict[object, object],
    expected: dict[object, object],
    observed: dict[object, object],
    change: ChangeName,
) -> dict[object, object]:
    spread: dict[object, object] = {
        key: value for key, value in tree.items() if isinstance(key, Expression)
    }
    written = {key: value for key, value in tree.items() if key not in spread}
    brought = [key for key in expected if key not in written]
    if any(key not in observed for key in brought):
        spread, brought = {}, []  # parts from ``**`` cannot be removed again
    kept = {
        key: merged(value, expected.get(key), observed[key], change)
        for key, value in written.items()
        if key in observed
    }
    added = {
        key: value
        for key, value in observed.items()
        if key not in written and not (key in brought and expected[key] == value)
    }
    return {**spread, **kept, **added}
