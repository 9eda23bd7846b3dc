"""Rewrites expressions: decisions down to their atoms, comparisons, predicates, conversions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import TypeVar
from typing import cast

from pytest_evosearch.instrument import calls
from pytest_evosearch.instrument import nodes
from pytest_evosearch.instrument.decisions import Position
from pytest_evosearch.instrument.decisions import split_chain
from pytest_evosearch.instrument.exclusion import static_truth
from pytest_evosearch.instrument.plan import ConditionSite
from pytest_evosearch.instrument.plan import Link
from pytest_evosearch.instrument.plan import ModulePlan

STATEMENTS = 1
DISTANCES = 2
EVERYTHING = 3
"""Levels: what each adds is said in the package's documentation."""

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

SIDES = ("true", "false")
Links = tuple[list[Link], list[Link]]
Needs = Callable[[str], bool]
"""Says of a slot whether its probe is to be in the code; the plan is the same either way."""
Sides = tuple[bool, bool]
Comprehension = TypeVar("Comprehension", ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites the expressions of one module; `visit` takes them in value context.

    `controls` are the branch sides that enclose what is being rewritten, `background` says
    whether it runs at import time.
    """

    def __init__(self, plan: ModulePlan, level: int, needs: Needs) -> None:
        self.plan = plan
        self.level = level
        self.needs = needs
        self.controls: tuple[int, ...] = ()
        self.background = True
        self._told: Sides = (False, False)
        """What hit probes tell of the single atom of the current decision."""
        self._atom_sides: tuple[int, ...] = ()
        """The own targets of the atom rewritten last, for what the next operand depends on."""

    def rewrite(self, expression: ast.expr) -> ast.expr:
        """Rewrite an expression in value context."""
        return cast("ast.expr", self.visit(expression))

    @contextmanager
    def under(self, controls: tuple[int, ...]) -> Iterator[None]:
        """Rewrite what runs only after one of the branch sides `controls` (none: no change)."""
        outer = self.controls
        self.controls = controls or outer
        try:
            yield
        finally:
            self.controls = outer

    @contextmanager
    def in_function(self) -> Iterator[None]:
        """Rewrite the body of a function, where control begins anew."""
        outer = self.controls, self.background
        self.controls, self.background = (), False
        try:
            yield
        finally:
            self.controls, self.background = outer

    # Decisions

    def decision(
        self, test: ast.expr, reference: ast.AST, told: Sides = (False, False)
    ) -> tuple[ast.expr, tuple[int, ...]]:
        """Rewrite a condition; return it with its targets (true, false), () when it is constant.

        `told` says which sides (false, true) the caller tells by hit probes too.
        """
        if static_truth(test) is not None:
            return test, ()
        line: int = getattr(reference, "lineno", test.lineno)
        sides = self.plan.add_branch(line, SIDES, self.controls)
        compound = not self._is_atom(test)
        outer, self._told = self._told, (False, False) if compound else told
        with self.under(()):
            rewritten = self._operand(test, Position(), sides, compound=compound)
        self._told = outer
        return rewritten, sides

    def _is_atom(self, test: ast.expr) -> bool:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._is_atom(test.operand)
        if isinstance(test, ast.Compare):
            return len(test.ops) == 1 or split_chain(test) is test
        return not isinstance(test, (ast.BoolOp, ast.IfExp))

    def _operand(
        self, node: ast.expr, position: Position, sides: tuple[int, ...], *, compound: bool
    ) -> ast.expr:
        if static_truth(node) is not None:
            return node
        if isinstance(node, ast.Compare):
            node = split_chain(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._told = self._told[::-1]
            node.operand = self._operand(node.operand, position.negated(), sides, compound=compound)
            return node
        if isinstance(node, ast.BoolOp):
            return self._chain(node, position, sides)
        if isinstance(node, ast.IfExp):
            return self._ternary_operand(node, position, sides)
        own = self._own_sides(node) if compound else ()
        links = _joined(Position().links(own), position.links(sides))
        told, self._told = self._told, (False, False)
        rewritten = self._atom(node, links, tested=True, told=told)
        self._atom_sides = own
        return rewritten

    def _own_sides(self, node: ast.expr) -> tuple[int, ...]:
        wanted = self.level >= EVERYTHING
        return self.plan.add_branch(node.lineno, SIDES, self.controls, wanted=wanted)

    def _chain(self, node: ast.BoolOp, position: Position, sides: tuple[int, ...]) -> ast.BoolOp:
        varying = [static_truth(value) is None for value in node.values]
        count, index, controls = sum(varying), 0, self.controls
        goes_on = 0 if isinstance(node.op, ast.And) else 1
        for place, value in enumerate(node.values):
            if not varying[place]:
                continue
            below = position.operand(node.op, index, count)
            with self.under(controls):
                node.values[place] = self._operand(value, below, sides, compound=True)
            controls = self._onward(value, goes_on, controls)
            index += 1
        return node

    def _onward(
        self, operand: ast.expr, goes_on: int, controls: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return what the next operand depends on: the side of this one that does not decide."""
        own, self._atom_sides = self._atom_sides, ()
        plain = not isinstance(operand, (ast.UnaryOp, ast.BoolOp, ast.IfExp))
        return (own[goes_on],) if own and plain and self._is_atom(operand) else controls

    def _ternary_operand(
        self, node: ast.IfExp, position: Position, sides: tuple[int, ...]
    ) -> ast.IfExp:
        node.test, chosen = self.decision(node.test, node.test)
        with self.under(chosen[:1]):
            node.body = self._operand(node.body, position, sides, compound=True)
        with self.under(chosen[1:]):
            node.orelse = self._operand(node.orelse, position, sides, compound=True)
        return node

    # Atoms

    def _atom(
        self, node: ast.expr, links: Links, *, tested: bool, told: Sides = (False, False)
    ) -> ast.expr:
        if self.level >= DISTANCES and isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._comparison(node, links, tested=tested, told=told)
        if self.level >= EVERYTHING:
            called = self._predicate(node, links, tested=tested, told=told)
            if called is not None:
                return called
        plain = self._without_predicate(node)
        if nodes.is_duplicable(plain):
            name = self._site("truth", "", "evaluated", links, tested=tested, told=told)
            return self._guard(name, plain, nodes.call(name, [plain], node))
        dead = "truth" if tested else "identity"
        name = self._site("truth", "", "evaluated", links, tested=tested, told=told, dead=dead)
        return self._replace(name, plain, nodes.call(name, [plain], node))

    def _without_predicate(self, node: ast.expr) -> ast.expr:
        """Rewrite the parts of an atom, which is probed as a whole already."""
        if isinstance(node, ast.Compare):
            return cast("ast.expr", self.generic_visit(node))
        return self.rewrite(node)

    def _comparison(
        self, node: ast.Compare, links: Links, *, tested: bool, told: Sides = (False, False)
    ) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        operation = OPERATORS[type(node.ops[0])]
        literal = (isinstance(left, ast.Constant), _is_literal(right))
        if nodes.is_simple(left) and nodes.is_simple(right):
            name = self._site(
                "comparison",
                operation,
                "evaluated",
                links,
                tested=tested,
                told=told,
                literal=literal,
            )
            return self._guard(name, node, nodes.call(name, [node, left, right], node))
        if nodes.is_duplicable(node):
            name = self._site(
                "comparison", operation, "perform", links, tested=tested, told=told, literal=literal
            )
            return self._guard(name, node, nodes.call(name, [left, right], node))
        name = self._site(
            "comparison",
            operation,
            "perform",
            links,
            tested=tested,
            told=told,
            literal=literal,
            dead=operation,
        )
        if operation in ("in", "not in"):
            right = _constant_container(right)
        return self._replace(name, node, nodes.call(name, [left, right], node))

    def _predicate(
        self, node: ast.expr, links: Links, *, tested: bool, told: Sides = (False, False)
    ) -> ast.expr | None:
        """Probe a call of a predicate; its parts stay bare, since they stand in both copies."""
        found = calls.predicate(node)
        if found is None or not nodes.is_duplicable(node):
            return None
        literal = (False, bool(found.arguments) and _is_literal(found.arguments[-1]))
        if nodes.is_simple(found.receiver) and all(map(nodes.is_simple, found.arguments)):
            name = self._site(
                "predicate",
                found.operation,
                "evaluated",
                links,
                tested=tested,
                told=told,
                literal=literal,
            )
            probed = nodes.call(name, [node, found.receiver, *found.arguments], node)
        else:
            name = self._site(
                "predicate",
                found.operation,
                "perform",
                links,
                tested=tested,
                told=told,
                literal=literal,
            )
            function = cast("ast.Call", node).func
            probed = nodes.call(name, [function, *found.arguments], node)
        return self._guard(name, node, probed)

    def _guard(self, name: str, plain: ast.expr, probed: ast.expr) -> ast.expr:
        return nodes.guarded(name, plain, probed) if self.needs(name) else plain

    def _replace(self, name: str, plain: ast.expr, probed: ast.expr) -> ast.expr:
        return probed if self.needs(name) else plain

    def _site(
        self,
        kind: str,
        operation: str,
        method: str,
        links: Links,
        *,
        tested: bool = False,
        dead: str = "",
        literal: tuple[bool, bool] = (False, False),
        told: Sides = (False, False),
        detail: str = "",
    ) -> str:
        name = f"c{len(self.plan.conditions)}"
        self.plan.conditions.append(
            ConditionSite(
                name,
                kind,
                operation,
                method,
                dead,
                tested,
                tuple(links[0]),
                tuple(links[1]),
                *literal,
                told,
                detail,
                self.background,
            )
        )
        return name

    # Value context

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Probe the operands that are tested; the value of the whole stays an operand itself."""
        if self.level < EVERYTHING:
            return cast("ast.expr", self.generic_visit(node))
        controls = self.controls
        goes_on = 0 if isinstance(node.op, ast.And) else 1
        for place, value in enumerate(node.values):
            last = place == len(node.values) - 1
            with self.under(controls):
                node.values[place] = self.rewrite(value) if last else self._tested_value(value)
            controls = self._onward(value, goes_on, controls)
        return node

    def _tested_value(self, node: ast.expr) -> ast.expr:
        """Rewrite an operand that is tested and may also be the value."""
        if static_truth(node) is not None or isinstance(node, (ast.UnaryOp, ast.IfExp)):
            return self.rewrite(node)
        if isinstance(node, ast.BoolOp):
            node.values = [self._tested_value(value) for value in node.values]
            return node
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.rewrite(node)
        own = self._own_sides(node)
        atom = self._atom(node, Position().links(own), tested=False)
        self._atom_sides = own
        return atom

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Probe a comparison whose result is a value: it is often tested elsewhere."""
        whole = split_chain(node)
        unsplit = whole is node and len(node.ops) > 1
        if self.level < EVERYTHING or unsplit or static_truth(node) is not None:
            return cast("ast.expr", self.generic_visit(node))
        if isinstance(whole, ast.BoolOp):
            whole.values = [self.rewrite(value) for value in whole.values]
            return whole
        return self._comparison(node, Position().links(self._own_sides(node)), tested=False)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Treat ``not x`` as the decision that it is."""
        if self.level < EVERYTHING or not isinstance(node.op, ast.Not):
            return cast("ast.expr", self.generic_visit(node))
        node.operand, _ = self.decision(node.operand, node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Rewrite a ternary."""
        node.test, sides = self.decision(node.test, node)
        with self.under(sides[:1]):
            node.body = self.rewrite(node.body)
        with self.under(sides[1:]):
            node.orelse = self.rewrite(node.orelse)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """Rewrite a lambda: defaults here, the body in a scope of its own."""
        self.defaults(node.args)
        with self.in_function():
            node.body = self.rewrite(node.body)
        return node

    def defaults(self, arguments: ast.arguments) -> None:
        """Rewrite the default values of a function's arguments."""
        arguments.defaults = [self.rewrite(default) for default in arguments.defaults]
        arguments.kw_defaults = [
            None if default is None else self.rewrite(default) for default in arguments.kw_defaults
        ]

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """Rewrite a list comprehension."""
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """Rewrite a set comprehension."""
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """Rewrite a generator expression."""
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        """Rewrite a dictionary comprehension."""
        return self._comprehension(node)

    def _comprehension(self, node: Comprehension) -> Comprehension:
        sides: tuple[int, ...] = ()
        with self.under(()):
            for generator in node.generators:
                generator.iter = self.rewrite(generator.iter)
                for place, test in enumerate(generator.ifs):
                    generator.ifs[place], sides = self.decision(test, test)
                    self.controls = sides[:1] or self.controls
            self._comprehension_result(node)
        return node

    def _comprehension_result(self, node: Comprehension) -> None:
        if isinstance(node, ast.DictComp):
            node.key = self.rewrite(node.key)
            node.value = self.rewrite(node.value)
        else:
            node.elt = self.rewrite(node.elt)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Probe predicates and conversions."""
        if self.level < EVERYTHING:
            return cast("ast.expr", self.generic_visit(node))
        if calls.predicate(node) is not None and nodes.is_duplicable(node):
            own = self._own_sides(node)
            return cast("ast.expr", self._predicate(node, Position().links(own), tested=False))
        self.generic_visit(node)
        found = calls.conversion(node)
        if found is not None:
            self._convert(node, found)
        return node

    def _convert(self, node: ast.Call, found: calls.Conversion) -> None:
        """Tap the text on its way into the conversion, which itself runs where it stands."""
        text = node.args[0]
        sides = self.plan.add_branch(node.lineno, ("returned", "raised"), self.controls)
        links = Position().links(sides)
        small = nodes.is_duplicable(text)
        name = self._site(
            "conversion",
            found.operation,
            "tap",
            links,
            dead="" if small else "identity",
            detail=found.detail,
        )
        tap = nodes.call(name, [text], text)
        node.args[0] = (self._guard if small else self._replace)(name, text, tap)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Tap the key of a lookup that may miss."""
        key = node.slice
        tapped = (
            self.level >= EVERYTHING
            and not self.background
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and isinstance(key, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
            and nodes.is_duplicable(key)
        )
        # Decided before, and the key left bare: it stands in both copies.
        if not tapped:
            self.generic_visit(node)
        else:
            sides = self.plan.add_branch(node.lineno, ("found", "missing"), self.controls)
            name = self._site("lookup", "key", "tap", Position().links(sides))
            node.slice = self._guard(name, key, nodes.call(name, [key, node.value], key))
        return node


def _joined(first: Links, second: Links) -> Links:
    return (first[0] + second[0], first[1] + second[1])


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(isinstance(element, ast.Constant) for element in node.elts)
    return isinstance(node, ast.Constant)


def _constant_container(node: ast.expr) -> ast.expr:
    """Spell a literal list or set as a constant, as the peephole optimiser does after ``in``."""
    if isinstance(node, ast.List) and _is_literal(node):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    if isinstance(node, ast.Set) and _is_literal(node):
        members = frozenset(cast("ast.Constant", element).value for element in node.elts)
        return ast.copy_location(ast.Constant(cast("Any", members)), node)
    return node
