"""Rewrites expressions: decisions and their atoms, comparisons, predicates, conversions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar
from typing import cast

from pytest_evosearch.core.targets import CONVERSION
from pytest_evosearch.core.targets import LOOKUP
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.transformation import calls
from pytest_evosearch.instrument.transformation import nodes
from pytest_evosearch.instrument.transformation.atoms import EVERYTHING
from pytest_evosearch.instrument.transformation.atoms import AtomRewriter
from pytest_evosearch.instrument.transformation.atoms import Links
from pytest_evosearch.instrument.transformation.atoms import Needs
from pytest_evosearch.instrument.transformation.atoms import Sides
from pytest_evosearch.instrument.transformation.decisions import Position
from pytest_evosearch.instrument.transformation.decisions import element_links
from pytest_evosearch.instrument.transformation.decisions import is_range
from pytest_evosearch.instrument.transformation.decisions import split_chain
from pytest_evosearch.instrument.transformation.exclusion import static_truth
from pytest_evosearch.instrument.transformation.plan import Link
from pytest_evosearch.instrument.transformation.plan import ModulePlan

SIDES = ("true", "false")
Comprehension = TypeVar("Comprehension", ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


# The second base is only for readers and linters: its walk is `ExpressionWalker`'s.
class ExpressionRewriter(AtomRewriter, ast.NodeTransformer):
    """Rewrites the expressions of one module; `visit` treats them in value context.

    `controls` are the branch sides around the present expression.
    """

    def __init__(self, plan: ModulePlan, level: int, needs: Needs) -> None:
        super().__init__(plan, level, needs)
        self.controls: tuple[TargetId, ...] = ()
        self.enums: frozenset[str] = frozenset()
        """The enums that the module defines."""
        self.failing = False
        """Whether a ``ValueError`` or ``KeyError`` is expected here."""
        self._noted: Sides = (False, False)
        """Sides that hit probes report for a decision of a single atom."""
        self._atom_sides: tuple[TargetId, ...] = ()
        """The own targets of the last atom, on which the next operand depends."""
        self._quantified: Links | None = None
        """Links of the elements of the comprehension in ``any(...)`` or ``all(...)``."""

    @contextmanager
    def under(self, controls: tuple[TargetId, ...]) -> Iterator[None]:
        """Rewrite code that runs only after one of the branch sides `controls` (none: always)."""
        outer = self.controls
        self.controls = controls or outer
        try:
            yield
        finally:
            self.controls = outer

    @contextmanager
    def in_function(self) -> Iterator[None]:
        """Rewrite the body of a function, where control starts again."""
        outer = self.controls, self.background, self.unit
        self.controls, self.background, self.unit = (), False, self.plan.add_unit()
        try:
            yield
        finally:
            self.controls, self.background, self.unit = outer

    # Decisions

    def decision(
        self, test: ast.expr, reference: ast.AST, noted: Sides = (False, False)
    ) -> tuple[ast.expr, tuple[TargetId, ...]]:
        """Rewrite a condition; return it with its targets (true, false), () when it is constant.

        `noted` says which sides (false, true) hit probes of the caller report, too.
        """
        if static_truth(test) is not None:
            return test, ()
        line: int = getattr(reference, "lineno", test.lineno)
        sides = self.plan.add_branch(line, SIDES, self.controls)
        compound = not self._is_atom(test)
        outer, self._noted = self._noted, (False, False) if compound else noted
        with self.under(()):
            rewritten = self._operand(test, Position(), sides, compound=compound)
        self._noted = outer
        return rewritten, sides

    def _is_atom(self, test: ast.expr) -> bool:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._is_atom(test.operand)
        if isinstance(test, ast.Compare):
            return len(test.ops) == 1 or split_chain(test) is test
        return not isinstance(test, (ast.BoolOp, ast.IfExp))

    def _operand(
        self, node: ast.expr, position: Position, sides: tuple[TargetId, ...], *, compound: bool
    ) -> ast.expr:
        if static_truth(node) is not None:
            return node
        if isinstance(node, ast.Compare):
            node = split_chain(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._noted = self._noted[::-1]
            node.operand = self._operand(node.operand, position.negated(), sides, compound=compound)
            return node
        if isinstance(node, ast.BoolOp):
            return self._chain(node, position, sides)
        if isinstance(node, ast.IfExp):
            return self._ternary_operand(node, position, sides)
        own = self._own_sides(node) if compound else ()
        links = _joined(Position().links(own), position.links(sides))
        noted, self._noted = self._noted, (False, False)
        quantifier = calls.quantifier(node) if self.level >= EVERYTHING else None
        if quantifier is not None:
            self._quantified = element_links(quantifier, links)
        rewritten = self.atom(node, links, tested=True, noted=noted)
        self._atom_sides = own
        return rewritten

    def _own_sides(self, node: ast.expr) -> tuple[TargetId, ...]:
        wanted = self.level >= EVERYTHING
        return self.plan.add_branch(node.lineno, SIDES, self.controls, wanted=wanted)

    def _chain(
        self, node: ast.BoolOp, position: Position, sides: tuple[TargetId, ...]
    ) -> ast.BoolOp:
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
        self, operand: ast.expr, goes_on: int, controls: tuple[TargetId, ...]
    ) -> tuple[TargetId, ...]:
        """Return the side of this operand that does not decide: the next operand depends on it."""
        own, self._atom_sides = self._atom_sides, ()
        plain = not isinstance(operand, (ast.UnaryOp, ast.BoolOp, ast.IfExp))
        return (own[goes_on],) if own and plain and self._is_atom(operand) else controls

    def _ternary_operand(
        self, node: ast.IfExp, position: Position, sides: tuple[TargetId, ...]
    ) -> ast.IfExp:
        node.test, chosen = self.decision(node.test, node.test)
        with self.under(chosen[:1]):
            node.body = self._operand(node.body, position, sides, compound=True)
        with self.under(chosen[1:]):
            node.orelse = self._operand(node.orelse, position, sides, compound=True)
        return node

    # Value context

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Add probes to the tested operands; the value of the whole stays an operand itself."""
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
        """Rewrite a tested operand that may also be the value."""
        if static_truth(node) is not None or isinstance(node, (ast.UnaryOp, ast.IfExp)):
            return self.rewrite(node)
        if isinstance(node, ast.BoolOp):
            node.values = [self._tested_value(value) for value in node.values]
            return node
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.rewrite(node)
        own = self._own_sides(node)
        atom = self.atom(node, Position().links(own), tested=False)
        self._atom_sides = own
        return atom

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Add a probe to a comparison whose result is a value: it is often tested elsewhere."""
        whole = split_chain(node)
        unsplit = whole is node and len(node.ops) > 1 and not is_range(node)
        if self.level < EVERYTHING or unsplit or static_truth(node) is not None:
            return cast("ast.expr", self.generic_visit(node))
        if isinstance(whole, ast.BoolOp):
            whole.values = [self.rewrite(value) for value in whole.values]
            return whole
        links = Position().links(self._own_sides(node))
        if is_range(node):
            return self.range(cast("ast.Compare", self.generic_visit(node)), links, tested=False)
        return self.comparison(node, links, tested=False)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Treat ``not x`` as a decision."""
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
        """Rewrite a lambda: its defaults here, its body in its own scope."""
        self.defaults(node.args)
        with self.in_function():
            if self.level < EVERYTHING:
                node.body = self.rewrite(node.body)
                return node
            called = self.plan.add_branch(node.body.lineno, ("called",), ())
            slot = self.hit_site(called)
            body = self.rewrite(node.body)
            node.body = nodes.call_hit(slot, body) if self.needs(slot) else body
        return node

    def completion(self, value: ast.expr, line: int) -> tuple[ast.expr, tuple[TargetId, ...]]:
        """Rewrite a returned value so that its complete evaluation covers a separate target."""
        own = self.plan.add_branch(line, ("completed",), self.controls)
        plain = self.rewrite(value)
        small = nodes.is_duplicable(plain)
        links: Links = ([], [Link(own[0], 0.0, 1.0, 1.0)])
        name = self.site("completion", "", "tap", links, dead="" if small else "identity")
        probed = nodes.call(name, [plain], plain)
        return (self.guard if small else self.replace)(name, plain, probed), own

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
        sides: tuple[TargetId, ...] = ()
        quantified, self._quantified = self._quantified, None
        with self.under(()):
            for generator in node.generators:
                generator.iter = self.rewrite(generator.iter)
                for place, test in enumerate(generator.ifs):
                    generator.ifs[place], sides = self.decision(test, test)
                    self.controls = sides[:1] or self.controls
            self._comprehension_result(node, quantified)
        return node

    def _comprehension_result(self, node: Comprehension, quantified: Links | None) -> None:
        if isinstance(node, ast.DictComp):
            node.key = self.rewrite(node.key)
            node.value = self.rewrite(node.value)
        elif quantified is not None and _is_plain_atom(node.elt):
            links = _joined(Position().links(self._own_sides(node.elt)), quantified)
            node.elt = self.atom(node.elt, links, tested=False)
        else:
            node.elt = self.rewrite(node.elt)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Add probes to predicates and conversions."""
        if self.level < EVERYTHING:
            return cast("ast.expr", self.generic_visit(node))
        if calls.predicate(node) is not None and nodes.is_duplicable(node):
            own = self._own_sides(node)
            return cast("ast.expr", self.predicate(node, Position().links(own), tested=False))
        self.generic_visit(node)
        found = calls.conversion(node)
        if found is None:
            found = calls.enum_lookup(node, self.enums, failing=self.failing)
        if found is not None:
            self._convert(node, found)
        return node

    def visit_Await(self, node: ast.Await) -> ast.Await:
        """Rewrite what is awaited."""
        node.value = self.opened(node.value)
        return node

    def opened(self, node: ast.expr) -> ast.expr:
        """Rewrite what is awaited or entered by ``with``.

        A call there is none of a predicate: ``session.get(address)`` looks up no member.
        """
        if isinstance(node, ast.Call):
            self.generic_visit(node)
            return node
        return self.rewrite(node)

    def _convert(self, node: ast.Call, found: calls.Conversion) -> None:
        """Tap the text on its way into the conversion, which itself runs at its place."""
        text = node.args[0]
        if found.seen is not None and not nodes.is_duplicable(text):
            return
        sides = self.plan.add_branch(node.lineno, CONVERSION, self.controls)
        links = Position().links(sides)
        small = nodes.is_duplicable(text)
        name = self.site(
            "conversion",
            found.operation,
            "tap",
            links,
            dead="" if small else "identity",
            detail=found.detail,
        )
        seen = [] if found.seen is None else [found.seen]
        tap = nodes.call(name, [text, *seen], text)
        node.args[0] = (self.guard if small else self.replace)(name, text, tap)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Tap the key of a lookup that may fail."""
        key = node.slice
        tapped = (
            self.level >= EVERYTHING
            and not self.background
            and isinstance(node.ctx, ast.Load)
            and _is_table(node.value)
            and isinstance(key, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
            and nodes.is_duplicable(key)
        )
        # Decided first, with a plain key, because both copies contain it.
        if not tapped:
            self.generic_visit(node)
        else:
            sides = self.plan.add_branch(node.lineno, LOOKUP, self.controls)
            name = self.site("lookup", "key", "tap", Position().links(sides))
            node.slice = self.guard(name, key, nodes.call(name, [key, node.value], key))
        return node


def _is_table(node: ast.expr) -> bool:
    """Say whether an object may be read twice: a name, or a capitalised attribute of a module.

    Examples: ``auth.Role[name]``, ``limits.RATES[plan]``. Other attributes may be computed.
    """
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.attr[:1].isupper()
    return isinstance(node, ast.Name)


def _is_plain_atom(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and static_truth(node) is None
    return isinstance(node, (ast.Call, ast.Name, ast.Attribute, ast.Subscript))


def _joined(first: Links, second: Links) -> Links:
    return (first[0] + second[0], first[1] + second[1])
