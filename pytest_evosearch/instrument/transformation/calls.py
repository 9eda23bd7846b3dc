"""Recognises deciding calls: string predicates, regular expressions, conversions.

It uses only names, because the source shows no types. The probe itself checks the exact type of the
receiver, and records nothing for other types.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Container
from typing import NamedTuple

from pytest_evosearch.instrument.distances.predicates import CLASS_MEMBERS
from pytest_evosearch.instrument.distances.text_conversions import STRPTIME
from pytest_evosearch.instrument.distances.text_conversions import conversion_called
from pytest_evosearch.instrument.transformation.nodes import NodesByType

AFFIXES = frozenset({"startswith", "endswith"})
REGULAR = frozenset({"match", "fullmatch", "search"})

SET_METHODS = {
    set.isdisjoint.__name__: operator.and_,
    set.intersection.__name__: operator.and_,
    set.issubset.__name__: operator.le,
    set.issuperset.__name__: operator.ge,
}
"""What asks sets about the members that they have in common, each with the operation for it."""

FUNCTIONS = {"isinstance": 2, "hasattr": 2, "getattr": 3}
"""Built-in functions that decide something about their first argument -> number of arguments."""


class Predicate(NamedTuple):
    """A call whose outcome is a decision."""

    operation: str
    receiver: ast.expr
    arguments: list[ast.expr]


class Conversion(NamedTuple):
    """A call that converts its first argument or raises."""

    operation: str
    detail: str = ""
    seen: ast.Name | ast.Attribute | None = None
    """What the probe must see besides the argument: the format, or the enum itself."""


def predicate(node: ast.expr) -> Predicate | None:
    """Return the predicate that `node` calls, or None."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    if isinstance(node.func, ast.Name):
        return _function(node.func.id, node.args)
    if not isinstance(node.func, ast.Attribute):
        return None
    operation = _operation(node.func, node.args)
    return Predicate(operation, node.func.value, node.args) if operation else None


def _function(name: str, arguments: list[ast.expr]) -> Predicate | None:
    if FUNCTIONS.get(name) != len(arguments):
        return None
    if name != "isinstance" and isinstance(arguments[1], ast.Constant):
        return None  # Whether a fixed attribute exists depends on no input.
    return Predicate(name, arguments[0], arguments[1:])


def _operation(function: ast.Attribute, arguments: list[ast.expr]) -> str | None:
    name, count = function.attr, len(arguments)
    if name in SET_METHODS and count == 1:
        return name
    if (name in AFFIXES and count == 1) or (name in CLASS_MEMBERS and count == 0):
        return name
    if name in REGULAR:
        is_module = isinstance(function.value, ast.Name) and function.value.id == "re"
        return name if count == (2 if is_module else 1) else None
    if name == "get" and count in (1, 2) and not isinstance(arguments[0], ast.Constant):
        return name
    return None


def conversion(node: ast.Call) -> Conversion | None:
    """Return the conversion that `node` calls, or None."""
    if node.keywords or not node.args or isinstance(node.args[0], (ast.Starred, ast.Constant)):
        return None
    name = _dotted_tail(node.func)
    if name is None:
        return None
    called = conversion_called(name) if len(node.args) == 1 else ""
    if called:
        return Conversion(called, "")
    if name == STRPTIME and len(node.args) == 2:
        form = node.args[1]
        if isinstance(form, ast.Constant) and isinstance(form.value, str):
            return Conversion(name, form.value)
        if isinstance(form, ast.Name):
            return Conversion(name, "", form)
    return None


def enum_lookup(node: ast.Call, enums: Container[str], *, failing: bool) -> Conversion | None:
    """Return the look-up of an enum member by value that `node` may be, or None.

    It may be a call of one of the module's own `enums`. Where a failure is expected (``except
    ValueError``), it may be a call of any class, even ``auth.Role``: the probe itself checks
    whether this is an enum.
    """
    function = node.func
    if len(node.args) != 1 or node.keywords:
        return None
    if isinstance(node.args[0], (ast.Starred, ast.Constant)):
        return None
    if isinstance(function, ast.Name):
        may_be = function.id in enums or (failing and function.id[:1].isupper())
        return Conversion("enum", "", function) if may_be else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return Conversion("enum", "", function) if failing and function.attr[:1].isupper() else None
    return None


def own_enums(module: NodesByType) -> frozenset[str]:
    """Return the names of the enums that a module defines."""
    classes = module.get(ast.ClassDef, ())
    return frozenset(node.name for node in classes if any(map(_names_an_enum, node.bases)))


def _names_an_enum(base: ast.expr) -> bool:
    name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
    return bool(name.endswith(("Enum", "Flag", "Choices")))


def length_operand(node: ast.expr) -> ast.Name | None:
    """Return the variable in ``len(variable)``."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
    ):
        return node.args[0]
    return None


QUANTIFIERS = frozenset({"any", "all"})


def quantifier(node: ast.expr) -> str | None:
    """Return ``any`` or ``all`` for a call of one with a comprehension."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in QUANTIFIERS
        and len(node.args) == 1
        and not node.keywords
        and isinstance(node.args[0], (ast.GeneratorExp, ast.ListComp, ast.SetComp))
    ):
        return node.func.id
    return None


NEVER_RETURNING = frozenset({"abort", "exit", "_exit", "fail", "skip", "raise_for_status"})


def completes(node: ast.expr | None) -> bool:
    """Say whether an expression contains a call that may raise or complete.

    Calls in nested functions do not count, because they run later, nor do calls that always raise.
    """
    if node is None or isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return False
    if isinstance(node, ast.Call):
        name = _dotted_tail(node.func) or ""
        return name.rpartition(".")[2] not in NEVER_RETURNING
    return any(completes(child) for child in ast.iter_child_nodes(node))  # type: ignore[arg-type]


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
