"""Recognises calls that decide something: string predicates, regular expressions, conversions.

By name only, which is all that the source tells; the probe itself checks that the receiver is
of the expected exact type and stays silent otherwise.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

AFFIXES = frozenset({"startswith", "endswith"})
CHARACTER_CLASSES = frozenset(
    {
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "isidentifier",
        "islower",
        "isnumeric",
        "isprintable",
        "isspace",
        "istitle",
        "isupper",
    }
)
REGULAR = frozenset({"match", "fullmatch", "search"})

PLAIN_CONVERSIONS = frozenset({"int", "float", "UUID", "Decimal"})
QUALIFIED_CONVERSIONS = frozenset(
    {
        "date.fromisoformat",
        "datetime.fromisoformat",
        "time.fromisoformat",
        "json.loads",
        "uuid.UUID",
        "decimal.Decimal",
    }
)


class Predicate(NamedTuple):
    """A call whose outcome is a decision."""

    operation: str
    receiver: ast.expr
    arguments: list[ast.expr]


class Conversion(NamedTuple):
    """A call that either converts its first argument or raises."""

    operation: str
    detail: str


def predicate(node: ast.expr) -> Predicate | None:
    """Return the predicate that `node` calls, if it is one."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    operation = _operation(node.func, node.args)
    return Predicate(operation, node.func.value, node.args) if operation else None


def _operation(function: ast.Attribute, arguments: list[ast.expr]) -> str | None:
    name, count = function.attr, len(arguments)
    if (name in AFFIXES and count == 1) or (name in CHARACTER_CLASSES and count == 0):
        return name
    if name in REGULAR:
        is_module = isinstance(function.value, ast.Name) and function.value.id == "re"
        return name if count == (2 if is_module else 1) else None
    if name == "get" and count in (1, 2) and not isinstance(arguments[0], ast.Constant):
        return name
    return None


def conversion(node: ast.Call) -> Conversion | None:
    """Return the conversion that `node` calls, if it is one."""
    if node.keywords or not node.args or isinstance(node.args[0], (ast.Starred, ast.Constant)):
        return None
    name = _dotted_tail(node.func)
    if name is None:
        return None
    if len(node.args) == 1 and (name in PLAIN_CONVERSIONS or name in QUALIFIED_CONVERSIONS):
        return Conversion(
            name.rpartition(".")[2] if name.endswith(("UUID", "Decimal")) else name, ""
        )
    if name == "datetime.strptime" and len(node.args) == 2:
        form = node.args[1]
        if isinstance(form, ast.Constant) and isinstance(form.value, str):
            return Conversion(name, form.value)
    return None


def _dotted_tail(function: ast.expr) -> str | None:
    """Return ``name`` or the last two parts of a dotted name."""
    if isinstance(function, ast.Name):
        return function.id
    if not isinstance(function, ast.Attribute):
        return None
    if isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    if isinstance(function.value, ast.Attribute):
        return f"{function.value.attr}.{function.attr}"
    return None
