"""The static table of the and/or heuristics: the effect of each atom on its decision.

Only atoms carry probes. The truth of an and-chain of n operands is the mean of its operands' truth:
operand i is evaluated only after i true ones, so ``(i + h) / n``. Its falsity is the maximum of
their falsity; an or-chain is the dual; ``not`` swaps the sides. Composed along the path from an
atom to the root, this is one affine function for each side, known before the code runs. Source:
reference heuristics of the EvoMaster family (Arcuri, TOSEM 2019), for n operands.
"""

from __future__ import annotations

import ast
from fractions import Fraction

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.transformation import nodes
from pytest_evosearch.instrument.transformation.plan import Link


@dataclass(frozen=True)
class Affine:
    """``offset + scale * truthness`` of one side of an operand."""

    side: bool
    """The side of the operand that determines the value."""
    offset: Fraction = Fraction(0)
    scale: Fraction = Fraction(1)

    def inverted(self) -> Affine:
        """Return the function of the other side."""
        return Affine(not self.side, self.offset, self.scale)

    def averaged(self, index: int, count: int) -> Affine:
        """Return the function for operand `index` of `count`, after its predecessors."""
        return Affine(
            self.side, self.offset + self.scale * Fraction(index, count), self.scale / count
        )

    def link(self, target: TargetId) -> Link:
        """Return the function as a row of the table."""
        taken = float(self.offset + self.scale)
        return Link(target, float(self.offset), float(self.scale), taken)


@dataclass(frozen=True)
class Position:
    """The position of an operand in its decision: its effect on the decision's two sides."""

    of_true: Affine = Affine(side=True)
    of_false: Affine = Affine(side=False)

    def negated(self) -> Position:
        """Return the position of the operand of ``not``."""
        return Position(self.of_true.inverted(), self.of_false.inverted())

    def operand(self, operator: ast.boolop, index: int, count: int) -> Position:
        """Return the position of operand `index` of `count` under ``and`` or ``or``.

        The side that one operand alone decides is unchanged (the maximum over operands is taken at
        run time). The other side is averaged.
        """
        averaged_side = isinstance(operator, ast.And)
        return Position(
            _descend(self.of_true, averaged_side, index, count),
            _descend(self.of_false, averaged_side, index, count),
        )

    def links(self, sides: tuple[TargetId, ...]) -> tuple[list[Link], list[Link]]:
        """Return the links (from falsity, from truth) to the targets (true, false)."""
        driven: tuple[list[Link], list[Link]] = ([], [])
        for target, function in zip(sides, (self.of_true, self.of_false), strict=False):
            driven[function.side].append(function.link(target))
        return driven


def _descend(function: Affine, averaged_side: bool, index: int, count: int) -> Affine:
    if function.side is averaged_side:
        return function.averaged(index, count)
    return function


ELEMENT_SHARE = 0.99
"""Weight of an element's truth for ``any`` and ``all``: the call itself covers their side."""


def element_links(
    quantifier: str, links: tuple[list[Link], list[Link]]
) -> tuple[list[Link], list[Link]]:
    """Return the effect of an element on the targets of ``any`` (by its truth) or ``all``."""
    side = quantifier == "any"
    softened = [
        link._replace(scale=link.scale * ELEMENT_SHARE, taken=link.taken * ELEMENT_SHARE)
        for link in links[side]
    ]
    return ([], softened) if side else (softened, [])


def split_chain(node: ast.Compare) -> ast.expr:
    """Turn ``a < b < c`` into ``a < b and b < c`` where reading the middles twice is safe."""
    middles = node.comparators[:-1]
    if not middles or not all(isinstance(middle, (ast.Name, ast.Constant)) for middle in middles):
        return node
    operands = [node.left, *node.comparators]
    pairs: list[ast.expr] = [
        nodes.place(ast.Compare(left, [operator], [right]), node)
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False)
    ]
    return nodes.place(ast.BoolOp(ast.And(), pairs), node)


def is_range(node: ast.expr) -> bool:
    """Say whether a node is ``low <= computed <= high``, which `split_chain` does not change.

    The last operand is read even when the first comparison decides, so it must be simple.
    """
    if not isinstance(node, ast.Compare) or len(node.ops) != 2:
        return False
    ordered = all(isinstance(one, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for one in node.ops)
    return ordered and _is_limit(node.left) and _is_limit(node.comparators[1])


def _is_limit(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, (ast.Name, ast.Constant))
