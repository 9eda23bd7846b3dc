"""The signs by which values are compared: what each does, and which say the opposite."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any
from typing import NamedTuple


class Sign(NamedTuple):
    """One sign that compares two values."""

    text: str
    node: type[ast.cmpop]
    operate: Callable[[Any, Any], Any]
    negated: str
    """The sign that holds exactly where this one does not."""
    mirrored: str = ""
    """The sign to use when the two sides are exchanged; empty where there is none."""


def _not_in(left: Any, right: Any) -> bool:
    return left not in right


def _in(left: Any, right: Any) -> bool:
    return left in right


SIGNS = {
    sign.text: sign
    for sign in (
        Sign("==", ast.Eq, operator.eq, "!=", "=="),
        Sign("!=", ast.NotEq, operator.ne, "==", "!="),
        Sign("<", ast.Lt, operator.lt, ">=", ">"),
        Sign("<=", ast.LtE, operator.le, ">", ">="),
        Sign(">", ast.Gt, operator.gt, "<=", "<"),
        Sign(">=", ast.GtE, operator.ge, "<", "<="),
        Sign("is", ast.Is, operator.is_, "is not"),
        Sign("is not", ast.IsNot, operator.is_not, "is"),
        Sign("in", ast.In, _in, "not in"),
        Sign("not in", ast.NotIn, _not_in, "in"),
    )
}

NEGATED = {sign.text: sign.negated for sign in SIGNS.values()}
MIRRORED = {sign.text: sign.mirrored for sign in SIGNS.values() if sign.mirrored}
ORDERINGS = frozenset(text for text, mirrored in MIRRORED.items() if text != mirrored)
"""Signs that say which of two is larger."""

OPERATORS = {sign.node: sign.text for sign in SIGNS.values()}
"""The sign of each node type of a syntax tree."""
