"""Small builders of syntax nodes; every new node gets the position of the node it replaces."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

from pytest_evosearch.instrument.transformation.plan import Slot

PLACEHOLDER = "\x00pytest-evosearch probes\x00"
"""Prefix of a unit's number; represents the unit's slots object while compiling.

The code's constants get the object instead. A constant needs no name: nothing is bound in any
namespace, and the code also works with foreign globals.
"""

LARGEST_DUPLICATE = 12
"""Most expression nodes that may appear twice in the code (a guard repeats its expression)."""

NOT_TWICE = frozenset(
    {
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
    }
)
"""Nodes that bind names, suspend, or create code objects: they must appear only once."""

LEAVES = frozenset(
    {
        ast.Name,
        ast.Constant,
        *ast.expr_context.__subclasses__(),
        *ast.boolop.__subclasses__(),
        *ast.operator.__subclasses__(),
        *ast.unaryop.__subclasses__(),
        *ast.cmpop.__subclasses__(),
    }
)
"""Nodes without relevant children: two thirds of a module."""

Node = TypeVar("Node", bound=ast.AST)
NodesByType = Mapping[type[ast.AST], Sequence[Any]]
"""All nodes of a module by type, in the order of `ast.walk`."""


def place(node: Node, reference: ast.AST) -> Node:
    """Give `node` the position of `reference`."""
    # Like `ast.copy_location`, but five times as fast: a first start waits for this.
    placed: Any = node
    source: Any = reference
    placed.lineno, placed.col_offset = source.lineno, source.col_offset
    placed.end_lineno, placed.end_col_offset = source.end_lineno, source.end_col_offset
    return node


def header(line: int, column: int) -> ast.Pass:
    """Return a node that only has the position `line`, `column`."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column)


def slot(name: Slot, reference: ast.AST) -> ast.expr:
    """Read a slot."""
    probes = place(ast.Constant(f"{PLACEHOLDER}{name.unit}"), reference)
    return place(ast.Attribute(probes, name.name, ast.Load()), reference)


def call(name: Slot, arguments: list[ast.expr], reference: ast.AST) -> ast.expr:
    """Call the probe in the slot `name`."""
    return place(ast.Call(slot(name, reference), arguments, []), reference)


def hit(name: Slot, reference: ast.AST) -> ast.stmt:
    """Build ``if PROBES.name is not None: PROBES.name()``."""
    nothing = place(ast.Constant(None), reference)
    test = place(ast.Compare(slot(name, reference), [ast.IsNot()], [nothing]), reference)
    firing = place(ast.Expr(call(name, [], reference)), reference)
    return place(ast.If(test, [firing], []), reference)


def noted(name: Slot, number: int, reference: ast.AST) -> ast.stmt:
    """Build ``PROBES.name(number)``."""
    noting = call(name, [place(ast.Constant(number), reference)], reference)
    return place(ast.Expr(noting), reference)


def call_hit(name: Slot, value: ast.expr) -> ast.expr:
    """Build ``value if PROBES.name is None or PROBES.name() is None else None``."""
    nothing = place(ast.Constant(None), value)
    dead = place(ast.Compare(slot(name, value), [ast.Is()], [nothing]), value)
    fired = place(ast.Compare(call(name, [], value), [ast.Is()], [nothing]), value)
    test = place(ast.BoolOp(ast.Or(), [dead, fired]), value)
    return place(ast.IfExp(test, value, nothing), value)


def reported(name: Slot, outcome: bool, reference: ast.AST) -> ast.stmt:
    """Build ``if PROBES.name is not None: PROBES.name(outcome)``."""
    nothing = place(ast.Constant(None), reference)
    test = place(ast.Compare(slot(name, reference), [ast.IsNot()], [nothing]), reference)
    telling = call(name, [place(ast.Constant(outcome), reference)], reference)
    return place(ast.If(test, [place(ast.Expr(telling), reference)], []), reference)


def guarded(name: Slot, plain: ast.expr, probed: ast.expr) -> ast.expr:
    """Build ``plain if PROBES.name is None else probed``."""
    nothing = place(ast.Constant(None), plain)
    test = place(ast.Compare(slot(name, plain), [ast.Is()], [nothing]), plain)
    return place(ast.IfExp(test, plain, probed), plain)


def watched(name: Slot, outcome: bool, test: ast.expr) -> ast.expr:
    """Build ``test and PROBES.name()`` to watch for truth, ``test or ...`` for falsity."""
    operator = ast.And() if outcome else ast.Or()
    return place(ast.BoolOp(operator, [test, call(name, [], test)]), test)


def is_simple(node: ast.expr) -> bool:
    """Say whether a second evaluation of `node` is always equal and cannot be noticed."""
    if isinstance(node, ast.Tuple):
        return all(isinstance(element, (ast.Name, ast.Constant)) for element in node.elts)
    return isinstance(node, (ast.Name, ast.Constant))


def descendants(*roots: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes and their descendants in the order of `ast.walk`, but several times as fast.

    Contexts and operators are omitted.
    """
    found = list(roots)
    for node in found:  # It grows during the loop.
        yield node
        if type(node) in LEAVES:
            continue
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if type(value) not in LEAVES or isinstance(value, ast.expr):
                    found.append(value)
            elif type(value) is list:
                found += [each for each in value if isinstance(each, ast.AST)]


def by_type(root: ast.AST) -> NodesByType:
    """Return `root` and its descendants by type, so that searches for few nodes are quick."""
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in descendants(root):
        found.setdefault(type(node), []).append(node)
    return found


def is_duplicable(*expressions: ast.expr) -> bool:
    """Say whether expressions are small, without probes, and may be evaluated twice."""
    count = 0
    for node in descendants(*expressions):
        if type(node) in NOT_TWICE or is_placeholder(node):
            return False
        count += isinstance(node, ast.expr)
        if count > LARGEST_DUPLICATE:
            return False
    return True


def is_placeholder(node: ast.AST) -> bool:
    """Say whether `node` represents the probes of a unit."""
    return isinstance(node, ast.Constant) and unit_of(node.value) is not None


def unit_of(constant: object) -> int | None:
    """Return the number of the unit that a placeholder constant represents, or None."""
    if type(constant) is str and constant.startswith(PLACEHOLDER):
        return int(constant[len(PLACEHOLDER) :])
    return None
