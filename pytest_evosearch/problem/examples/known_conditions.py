"""Evaluates conditions of tests and their helper functions without running them."""

from __future__ import annotations

import ast

from pytest_evosearch.problem.examples.read_expressions import Evaluator
from pytest_evosearch.problem.examples.values import UNKNOWN

_KNOWN = (str, int, float, bytes, list, dict, type(None))


def decided(node: ast.expr, evaluator: Evaluator) -> bool | None:
    """Return the value of a condition, None where only a run would show it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = decided(node.operand, evaluator)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        decisive = isinstance(node.op, ast.Or)
        sides = [decided(value, evaluator) for value in node.values]
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if isinstance(node, ast.Compare):
        return _compared(node, evaluator)
    value = evaluator.evaluate(node)
    return bool(value) if isinstance(value, _KNOWN) else None


def _compared(node: ast.Compare, evaluator: Evaluator) -> bool | None:
    left, *others = (evaluator.evaluate(side) for side in (node.left, *node.comparators))
    if len(others) != 1 or not (isinstance(left, _KNOWN) and isinstance(others[0], _KNOWN)):
        return None
    right, operator = others[0], node.ops[0]
    if isinstance(operator, (ast.In, ast.NotIn)):
        found = _found(left, right)
        return found if found is None or isinstance(operator, ast.In) else not found
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return (left == right) is isinstance(operator, ast.Eq)
    if isinstance(operator, (ast.Is, ast.IsNot)) and right is None:
        return (left is None) is isinstance(operator, ast.Is)
    return None


def _found(left: object, right: object) -> bool | None:
    """Say whether a text or number is in a container; None where unknown values decide."""
    if isinstance(right, str):
        return left in right if isinstance(left, str) else None
    if not isinstance(left, (str, int, float)) or not isinstance(right, (list, dict)):
        return None
    if left in right:
        return True
    return None if UNKNOWN in right else False
