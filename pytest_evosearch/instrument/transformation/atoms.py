"""Puts probes on atoms: comparisons, predicates and other truth values.

An atom gets one of two forms. With small parts, it appears twice behind a guard, plain and probed.
Otherwise the probe's slot replaces the operation, and contains the plain operation when the probe
is dead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any
from typing import cast

from pytest_evosearch.core.comparison_signs import OPERATORS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.transformation import calls
from pytest_evosearch.instrument.transformation import nodes
from pytest_evosearch.instrument.transformation.decisions import is_range
from pytest_evosearch.instrument.transformation.plan import ConditionSite
from pytest_evosearch.instrument.transformation.plan import HitSite
from pytest_evosearch.instrument.transformation.plan import Link
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.plan import Slot
from pytest_evosearch.instrument.transformation.walking import ExpressionWalker

STATEMENTS = 1
DISTANCES = 2
EVERYTHING = 3
"""The highest level; the package's documentation says what each level adds."""

Links = tuple[list[Link], list[Link]]
Needs = Callable[[Slot], "bool | str"]
"""Says whether the code needs the probe of a slot; the plan does not depend on it.

The result `WATCHED` requests code that watches for the named side, in addition to the probe.
"""

SET_SIGNS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.Sub: "-"}
"""Operations by which sets are compared."""

WATCHED = {"watch true": True, "watch false": False}
Sides = tuple[bool, bool]


class AtomRewriter(ExpressionWalker):
    """Rewrites single atoms; `background` says whether they run at import time."""

    def __init__(self, plan: ModulePlan, level: int, needs: Needs) -> None:
        self.plan = plan
        self.level = level
        self.needs = needs
        self.background = True
        self.unit = 0
        """The unit to which new probes belong."""

    def rewrite(self, expression: ast.expr) -> ast.expr:
        """Rewrite an expression in value context."""
        return cast("ast.expr", self.visit(expression))

    def atom(
        self, node: ast.expr, links: Links, *, tested: bool, noted: Sides = (False, False)
    ) -> ast.expr:
        """Rewrite an atom; `tested` says whether only the truth of its value is used."""
        if self.level >= DISTANCES and isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.comparison(node, links, tested=tested, noted=noted)
        if self.level >= EVERYTHING:
            called = self.predicate(node, links, tested=tested, noted=noted)
            if called is not None:
                return called
        plain = self._without_predicate(node)
        small = nodes.is_duplicable(plain)
        if self.level >= DISTANCES and tested and is_range(plain):
            return self.range(cast("ast.Compare", plain), links, tested=True, noted=noted)
        if self.level >= EVERYTHING and tested and isinstance(plain, ast.BinOp):
            sign = SET_SIGNS.get(type(plain.op))
            if sign is not None:
                return self.of_sets(plain, sign, links, small=small, noted=noted)
        dead = "" if small else "truth" if tested else "identity"
        name = self.site("truth", "", "evaluated", links, tested=tested, noted=noted, dead=dead)
        probed = nodes.call(name, [plain], node)
        return self._probed(name, plain, probed, small=small, tested=tested)

    def of_sets(
        self, node: ast.BinOp, sign: str, links: Links, *, small: bool, noted: Sides
    ) -> ast.expr:
        """Probe an operation with rewritten parts, of whose result only the truth is used."""
        dead = "" if small else sign
        name = self.site("set", sign, "perform", links, tested=True, noted=noted, dead=dead)
        probed = nodes.call(name, [node.left, node.right], node)
        return self._probed(name, node, probed, small=small, tested=True)

    def _without_predicate(self, node: ast.expr) -> ast.expr:
        """Rewrite the parts of an atom that has a probe for the whole."""
        if isinstance(node, ast.Compare):
            return cast("ast.expr", self.generic_visit(node))
        return self.rewrite(node)

    def comparison(
        self, node: ast.Compare, links: Links, *, tested: bool, noted: Sides = (False, False)
    ) -> ast.expr:
        """Rewrite a comparison of two operands."""
        measured = [calls.length_operand(each) for each in (node.left, node.comparators[0])]
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        operation = OPERATORS[type(node.ops[0])]
        small = nodes.is_duplicable(node)
        simple = small and nodes.is_simple(left) and nodes.is_simple(right)
        name = self.site(
            "comparison",
            operation,
            "evaluated" if simple else "perform",
            links,
            tested=tested,
            noted=noted,
            literal=(isinstance(left, ast.Constant), _is_literal(right)),
            dead="" if small else operation if tested else f"deferred {operation}",
            detail=_side(measured) if small else "",
        )
        if not small and operation in ("in", "not in"):
            right = _constant_container(right)
        operands = [node, left, right] if simple else [left, right]
        if small:
            operands.extend([measure for measure in measured if measure is not None][:1])
        probed = nodes.call(name, operands, node)
        if not simple and not tested:
            probed = nodes.place(ast.Call(probed, [], []), node)
        return self._probed(name, node, probed, small=small, tested=tested)

    def range(
        self, node: ast.Compare, links: Links, *, tested: bool, noted: Sides = (False, False)
    ) -> ast.expr:
        """Add a probe to a chain around a computed value, whose parts are rewritten already."""
        middle, right = node.comparators
        first, second = (OPERATORS[type(each)] for each in node.ops)
        small = nodes.is_duplicable(node)
        measured = calls.length_operand(middle) if small else None
        operation = f"{first} {second}"
        name = self.site(
            "range",
            operation,
            "perform",
            links,
            tested=tested,
            dead="" if small else operation if tested else f"deferred {operation}",
            noted=noted,
            literal=(not isinstance(node.left, ast.Name), not isinstance(right, ast.Name)),
        )
        operands = [node.left, middle, right, *([measured] if measured is not None else ())]
        probed = nodes.call(name, operands, node)
        if not tested:
            probed = nodes.place(ast.Call(probed, [], []), node)
        return self._probed(name, node, probed, small=small, tested=tested)

    def predicate(
        self, node: ast.expr, links: Links, *, tested: bool, noted: Sides = (False, False)
    ) -> ast.expr | None:
        """Add a probe to a predicate's call; its parts stay plain, as both copies contain them."""
        found = calls.predicate(node)
        if found is None or not nodes.is_duplicable(node):
            return None
        parts = [found.receiver, *found.arguments]
        simple = all(map(nodes.is_simple, parts))
        name = self.site(
            "predicate",
            found.operation,
            "evaluated" if simple else "perform",
            links,
            tested=tested,
            noted=noted,
            literal=(False, bool(found.arguments) and _is_literal(found.arguments[-1])),
        )
        if simple:
            probed = nodes.call(name, [node, *parts], node)
            return self._probed(name, node, probed, small=True, tested=tested)
        bare = cast("ast.Call", node)
        performed = nodes.call(name, [bare.func, *bare.args], node)
        probed = nodes.place(ast.Call(performed, [], []), node)
        return self._probed(name, node, probed, small=True, tested=tested)

    def _probed(
        self, name: Slot, plain: ast.expr, probed: ast.expr, *, small: bool, tested: bool
    ) -> ast.expr:
        """Combine plain and probed code in the form that the probe needs."""
        side = WATCHED.get(str(self.needs(name))) if tested else None
        if side is None:
            return (self.guard if small else self.replace)(name, plain, probed)
        watch = name._replace(name=f"w{name.name[1:]}")
        if small:
            return nodes.guarded(name, nodes.watched(watch, side, plain), probed)
        return nodes.watched(watch, side, probed)

    def guard(self, name: Slot, plain: ast.expr, probed: ast.expr) -> ast.expr:
        """Return ``plain if dead else probed``; plain code when the probe is not needed."""
        return nodes.guarded(name, plain, probed) if self.needs(name) else plain

    def replace(self, name: Slot, plain: ast.expr, probed: ast.expr) -> ast.expr:
        """Return `probed`; plain code when the probe is not needed."""
        return probed if self.needs(name) else plain

    def hit_site(self, targets: tuple[TargetId, ...]) -> Slot:
        """Add a hit probe to the plan, and return its slot."""
        hits = self.plan.units[self.unit].hits
        name = f"s{len(hits)}"
        hits.append(HitSite(name, targets, (), self.background))
        return Slot(self.unit, name)

    def site(
        self,
        kind: str,
        operation: str,
        method: str,
        links: Links,
        *,
        tested: bool = False,
        dead: str = "",
        literal: tuple[bool, bool] = (False, False),
        noted: Sides = (False, False),
        detail: str = "",
    ) -> Slot:
        """Add a condition probe to the plan, and return its slot."""
        conditions = self.plan.units[self.unit].conditions
        name = f"c{len(conditions)}"
        driven = tuple(links[0]), tuple(links[1])
        conditions.append(
            ConditionSite(
                name,
                kind,
                operation,
                method,
                dead,
                tested,
                *driven,
                *literal,
                noted,
                detail,
                self.background,
            )
        )
        return Slot(self.unit, name)


def _side(measured: list[ast.Name | None]) -> str:
    """Return which operand is the length of a variable."""
    return "left" if measured[0] else "right" if measured[1] else ""


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(isinstance(element, ast.Constant) for element in node.elts)
    return isinstance(node, ast.Constant)


def _constant_container(node: ast.expr) -> ast.expr:
    """Write a literal list or set as a constant, as the peephole optimiser does after ``in``."""
    if isinstance(node, ast.List) and _is_literal(node):
        return nodes.place(ast.Tuple(node.elts, ast.Load()), node)
    if isinstance(node, ast.Set) and _is_literal(node):
        members = frozenset(cast("ast.Constant", element).value for element in node.elts)
        return nodes.place(ast.Constant(cast("Any", members)), node)
    return node
