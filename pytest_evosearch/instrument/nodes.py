"""Small builders of syntax nodes; every new node takes the position of the one it stands for."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TypeVar

PLACEHOLDER = "\x00pytest-evosearch probes\x00"
"""Stands for a module's slots object while compiling; swapped in the code's constants.

A constant needs no name: nothing is bound in any namespace, and the code also works with
foreign globals.
"""

LARGEST_DUPLICATE = 12
"""Expression nodes that may appear twice in the code (a guard repeats what it guards)."""

NOT_TWICE = (
    ast.Lambda,
    ast.NamedExpr,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
)
"""Nodes that bind names, suspend, or make code objects: they stay where they are, once."""

Node = TypeVar("Node", bound=ast.AST)


def place(node: Node, reference: ast.AST) -> Node:
    """Give `node` the position of `reference`."""
    return ast.copy_location(node, reference)


def header(line: int, column: int) -> ast.Pass:
    """Return a node that only carries the position `line`, `column`."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column)


def slot(name: str, reference: ast.AST) -> ast.expr:
    """Read the slot `name` of the module's probes."""
    probes = place(ast.Constant(PLACEHOLDER), reference)
    return place(ast.Attribute(probes, name, ast.Load()), reference)


def call(name: str, arguments: list[ast.expr], reference: ast.AST) -> ast.expr:
    """Call the probe in the slot `name`."""
    return place(ast.Call(slot(name, reference), arguments, []), reference)


def hit(name: str, reference: ast.AST) -> ast.stmt:
    """Build ``if PROBES.name is not None: PROBES.name()``."""
    nothing = place(ast.Constant(None), reference)
    test = place(ast.Compare(slot(name, reference), [ast.IsNot()], [nothing]), reference)
    firing = place(ast.Expr(call(name, [], reference)), reference)
    return place(ast.If(test, [firing], []), reference)


def call_hit(name: str, value: ast.expr) -> ast.expr:
    """Build ``value if PROBES.name is None or PROBES.name() is None else None``."""
    nothing = place(ast.Constant(None), value)
    dead = place(ast.Compare(slot(name, value), [ast.Is()], [nothing]), value)
    fired = place(ast.Compare(call(name, [], value), [ast.Is()], [nothing]), value)
    test = place(ast.BoolOp(ast.Or(), [dead, fired]), value)
    return place(ast.IfExp(test, value, nothing), value)


def told(name: str, outcome: bool, reference: ast.AST) -> ast.stmt:
    """Build ``if PROBES.name is not None: PROBES.name(outcome)``."""
    nothing = place(ast.Constant(None), reference)
    test = place(ast.Compare(slot(name, reference), [ast.IsNot()], [nothing]), reference)
    telling = call(name, [place(ast.Constant(outcome), reference)], reference)
    return place(ast.If(test, [place(ast.Expr(telling), reference)], []), reference)


def guarded(name: str, plain: ast.expr, probed: ast.expr) -> ast.expr:
    """Build ``plain if PROBES.name is None else probed``."""
    nothing = place(ast.Constant(None), plain)
    test = place(ast.Compare(slot(name, plain), [ast.Is()], [nothing]), plain)
    return place(ast.IfExp(test, plain, probed), plain)


def watched(name: str, outcome: bool, test: ast.expr) -> ast.expr:
    """Build ``test and PROBES.name()`` to watch for truth, ``test or ...`` for falsity."""
    operator = ast.And() if outcome else ast.Or()
    return place(ast.BoolOp(operator, [test, call(name, [], test)]), test)


def is_simple(node: ast.expr) -> bool:
    """Say whether reading `node` a second time can neither differ nor be noticed."""
    if isinstance(node, ast.Tuple):
        return all(isinstance(element, (ast.Name, ast.Constant)) for element in node.elts)
    return isinstance(node, (ast.Name, ast.Constant))


def is_duplicable(*expressions: ast.expr) -> bool:
    """Say whether the expressions are small and free of probes and of what must stay single."""
    count = 0
    for expression in expressions:
        for node in ast.walk(expression):
            if isinstance(node, NOT_TWICE) or is_placeholder(node):
                return False
            count += isinstance(node, ast.expr)
            if count > LARGEST_DUPLICATE:
                return False
    return True


def is_placeholder(node: ast.AST) -> bool:
    """Say whether `node` stands for the module's probes."""
    return isinstance(node, ast.Constant) and node.value is PLACEHOLDER


def implant(code: CodeType, probes: object) -> CodeType:
    """Return `code` with `probes` in the place of the placeholder, in nested code too."""
    constants: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(implant(constant, probes))
        elif type(constant) is str and constant == PLACEHOLDER:
            constants.append(probes)
        else:
            constants.append(constant)
    return code.replace(co_consts=tuple(constants))
