"""Rewrites the statements of one module so that they report to probes.

Each statement gets a guard, which costs a few nanoseconds once its probe is dead. Probes on the
atoms of a condition report the sides of decisions (see `expressions`). Nothing is bound, imported
or evaluated twice, and every node keeps its line.
"""

from __future__ import annotations

import ast
from typing import cast

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.transformation import calls
from pytest_evosearch.instrument.transformation import nodes
from pytest_evosearch.instrument.transformation.atoms import EVERYTHING
from pytest_evosearch.instrument.transformation.atoms import Links
from pytest_evosearch.instrument.transformation.atoms import Needs
from pytest_evosearch.instrument.transformation.exclusion import Exclusion
from pytest_evosearch.instrument.transformation.exclusion import Patterns
from pytest_evosearch.instrument.transformation.exclusion import ends_the_block
from pytest_evosearch.instrument.transformation.exclusion import first_line
from pytest_evosearch.instrument.transformation.exclusion import is_docstring
from pytest_evosearch.instrument.transformation.exclusion import is_irrefutable
from pytest_evosearch.instrument.transformation.exclusion import leaves_no_trace
from pytest_evosearch.instrument.transformation.exclusion import literals
from pytest_evosearch.instrument.transformation.exclusion import opts_out
from pytest_evosearch.instrument.transformation.exclusion import static_truth
from pytest_evosearch.instrument.transformation.expressions import ExpressionRewriter
from pytest_evosearch.instrument.transformation.plan import Link
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.plan import Slot
from pytest_evosearch.instrument.transformation.swallowing import may_swallow
from pytest_evosearch.instrument.transformation.swallowing import own_swallowers

Block = list[ast.stmt]

NOTE = Slot(0, "s0")
"""Receives the numbers of the module's own hits: import-time code runs once."""


def instrument(
    source: str,
    path: str,
    level: int,
    needs: Needs = lambda _slot: True,
    excluded: Patterns = None,
) -> tuple[ast.Module, ModulePlan]:
    """Parse `source` and rewrite it; return the tree (with the placeholder) and its plan.

    `path` is the path in names of targets. Probes that are not needed are omitted, and lines that
    match a pattern of `excluded` are no targets. Raises what `ast.parse` raises.
    """
    tree = ast.parse(source)
    plan = ModulePlan(path)
    everything = nodes.by_type(tree)
    plan.constants = literals(everything)
    if not opts_out(tree):
        rewriter = StatementRewriter(plan, level, Exclusion(source, excluded), needs)
        rewriter.expressions.enums = calls.own_enums(everything)
        rewriter.swallowers = own_swallowers(everything)
        rewriter.module(tree)
    return tree, plan


class StatementRewriter:
    """Walks the statements of one module; its `ExpressionRewriter` handles expressions."""

    def __init__(self, plan: ModulePlan, level: int, exclusion: Exclusion, needs: Needs) -> None:
        self.plan = plan
        self.exclusion = exclusion
        self.expressions = ExpressionRewriter(plan, level, needs)
        self.has_calls = level >= EVERYTHING
        """Whether calls have targets of their own."""
        self._raising: Slot | None = None
        """The hit of the statement before, when a call in that statement may raise."""
        self.swallowers: frozenset[str] = frozenset()
        """The module's own context managers that may swallow an exception."""
        self._after: Block = []
        """Code to insert after the statement that was rewritten last."""

    def module(self, tree: ast.Module) -> None:
        """Rewrite a whole module in place."""
        tree.body = self.block(tree.body, may_open_with_docstring=True)

    def block(
        self,
        statements: Block,
        entry: tuple[TargetId, ...] = (),
        *,
        may_open_with_docstring: bool = False,
    ) -> Block:
        """Rewrite the statements of one block; entering it covers the targets `entry`."""
        result: Block = []
        pending = list(entry)
        self._raising = None
        with self.expressions.under(entry):
            for place, statement in enumerate(statements):
                opens = place == 0 and may_open_with_docstring and is_docstring(statement)
                if opens or _is_future_import(statement):
                    self._add_line(statement, pending)
                    result.append(statement)
                    continue
                pending = self._statement(statement, pending, result)
        if pending:
            self._hit(tuple(pending), result[-1], result)
        self._raising = None
        return result

    def _statement(
        self, statement: ast.stmt, pending: list[TargetId], result: Block
    ) -> list[TargetId]:
        """Append a rewritten statement with its probe before it; return the pending targets."""
        excluded = bool(self.exclusion) and self.exclusion.covers(statement)
        if not excluded:
            self._add_line(statement, pending)
            if pending and self._raising is not None:
                self.plan.expect(self._raising, tuple(pending))
        self._raising = None
        hit = self._hit(tuple(pending), statement, result) if pending else None
        if excluded:
            self._rewrite_alternatives(statement)
        elif isinstance(statement, ast.Return):
            self._return(statement, hit)
        else:
            may_raise = self.has_calls and _may_raise(statement)
            self._rewrite(statement)
            self._raising = hit if may_raise and not self.expressions.background else None
        result.append(statement)
        result.extend(self._after)
        self._after = []
        return []

    def _return(self, node: ast.Return, hit: Slot | None) -> None:
        """Rewrite a ``return``; when its value contains a call, its completion is a target."""
        if node.value is None:
            return
        if not (self.has_calls and calls.completes(node.value)):
            node.value = self.expressions.rewrite(node.value)
            return
        node.value, completed = self.expressions.completion(node.value, node.lineno)
        if hit is not None:
            self.plan.expect(hit, completed)

    def _add_line(self, statement: ast.stmt, pending: list[TargetId]) -> None:
        if leaves_no_trace(statement):
            return
        target = self.plan.add_line(first_line(statement), self.expressions.controls)
        if target is not None:
            pending.append(target)

    def _hit(self, targets: tuple[TargetId, ...], before: ast.stmt, result: Block) -> Slot:
        name = self.expressions.hit_site(targets)
        result.extend(self._call(name, nodes.header(first_line(before), before.col_offset)))
        return name

    def _probe(self, targets: tuple[TargetId, ...], position: ast.AST) -> Block:
        """Return the guard of a new probe, empty when it is not needed."""
        return self._call(self.expressions.hit_site(targets), position)

    def _call(self, name: Slot, position: ast.AST) -> Block:
        if not self.expressions.needs(name):
            return []
        if self.expressions.background:
            return [nodes.noted(NOTE, int(name.name[1:]), position)]
        return [nodes.hit(name, position)]

    def _rewrite(self, statement: ast.stmt) -> None:
        method = getattr(self, f"_rewrite_{type(statement).__name__.lower()}", None)
        if method is None:
            self.expressions.generic_visit(statement)
        else:
            method(statement)

    def _rewrite_alternatives(self, statement: ast.stmt) -> None:
        """Rewrite the blocks besides a marked header's own: ``else``, ``except``, ``finally``."""
        if isinstance(statement, (ast.If, ast.For, ast.AsyncFor, ast.While)):
            if not self.exclusion.covers_alternative(statement.body, statement.orelse):
                statement.orelse = self.block(statement.orelse)
        elif type(statement).__name__.startswith("Try"):
            self._rewrite_handlers(cast("ast.Try", statement))

    # Definitions

    def _rewrite_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        node.decorator_list = [self.expressions.rewrite(each) for each in node.decorator_list]
        self.expressions.defaults(node.args)
        with self.expressions.in_function():
            node.body = self.block(node.body, may_open_with_docstring=True)

    _rewrite_asyncfunctiondef = _rewrite_functiondef

    def _rewrite_classdef(self, node: ast.ClassDef) -> None:
        node.decorator_list = [self.expressions.rewrite(each) for each in node.decorator_list]
        for keyword in node.keywords:
            keyword.value = self.expressions.rewrite(keyword.value)
        node.body = self.block(node.body, may_open_with_docstring=True)

    # Branches

    def _rewrite_if(self, node: ast.If) -> None:
        sides = self._rewrite_decision(node, with_else=static_truth(node.test) is not True)
        if sides:
            self._note_early_exit(node, sides)

    def _rewrite_decision(self, node: ast.If | ast.While, with_else: bool) -> tuple[TargetId, ...]:
        """Rewrite test and body, and the other block `with_else`; return the targets of both."""
        original = list(node.body)
        known = static_truth(node.test)
        marked = self.exclusion.covers_alternative(original, node.orelse)
        noted = (bool(node.orelse) and not marked, True)
        node.test, sides = self.expressions.decision(node.test, node, noted)
        if known is not False:
            node.body = self.block(node.body, sides[:1])
        if node.orelse and with_else and not marked:
            node.orelse = self.block(node.orelse, sides[1:])
        return sides

    def _note_early_exit(self, node: ast.If, sides: tuple[TargetId, ...]) -> None:
        """Let the following code depend on the side that continues, when only one does."""
        ends = ends_the_block(node.body), ends_the_block(node.orelse)
        if ends[0] != ends[1]:
            self.expressions.controls = sides[1:] if ends[0] else sides[:1]

    def _rewrite_while(self, node: ast.While) -> None:
        self._rewrite_decision(node, with_else=True)

    def _rewrite_for(self, node: ast.For | ast.AsyncFor) -> None:
        node.iter = self.expressions.rewrite(node.iter)
        labels = ("entered", "exhausted")
        entered, exhausted = self.plan.add_branch(node.lineno, labels, self.expressions.controls)
        original = list(node.body)
        node.body = self.block(node.body, (entered,))
        if not node.orelse:
            node.orelse = self._probe((exhausted,), nodes.header(node.lineno, node.col_offset))
        elif not self.exclusion.covers_alternative(original, node.orelse):
            node.orelse = self.block(node.orelse, (exhausted,))

    _rewrite_asyncfor = _rewrite_for

    def _rewrite_assert(self, node: ast.Assert) -> None:
        node.test, sides = self.expressions.decision(node.test, node)
        if node.msg is not None:
            with self.expressions.under(sides[1:]):
                node.msg = self.expressions.rewrite(node.msg)
        if sides:
            self.expressions.controls = sides[:1]

    def _rewrite_match(self, node: ast.Match) -> None:
        node.subject = self.expressions.rewrite(node.subject)
        outer = self.expressions.controls
        for number, case in enumerate(node.cases, start=1):
            if self.exclusion.covers(case):
                continue
            line = case.pattern.lineno
            (matched,) = self.plan.add_branch(line, (f"case {number}",), outer)
            if case.guard is not None:
                case.guard, _ = self.expressions.decision(case.guard, case.guard)
            case.body = self.block(case.body, (matched,))
        last = node.cases[-1]
        if last.guard is not None or not is_irrefutable(last.pattern):
            node.cases.extend(self._nothing_matched(node, last))

    def _nothing_matched(self, node: ast.Match, last: ast.match_case) -> list[ast.match_case]:
        controls = self.expressions.controls
        (unmatched,) = self.plan.add_branch(node.lineno, ("no case",), controls)
        # On the last case's line, or a tracer would see a line that is not in the source.
        pattern = nodes.place(ast.MatchAs(), last.pattern)
        body = self._probe((unmatched,), last.pattern)
        return [ast.match_case(pattern, None, body)] if body else []

    def _rewrite_try(self, node: ast.Try) -> None:
        original = list(node.body)
        outer = self.expressions.failing
        self.expressions.failing = outer or any(map(_expects_failure, node.handlers))
        node.body = self.block(node.body)
        self.expressions.failing = outer
        self._rewrite_handlers(node, original)

    _rewrite_trystar = _rewrite_try

    def _rewrite_handlers(self, node: ast.Try, original: Block | None = None) -> None:
        last_block = node.handlers[-1].body if node.handlers else original or node.body
        last_block = list(last_block)
        for handler in node.handlers:
            self._handler(handler)
        if not self.exclusion.covers_alternative(last_block, node.orelse):
            node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)

    def _handler(self, handler: ast.ExceptHandler) -> None:
        if self.exclusion.covers(handler):
            return
        if handler.type is not None:
            handler.type = self.expressions.rewrite(handler.type)
        controls = self.expressions.controls
        (caught,) = self.plan.add_branch(handler.lineno, ("except",), controls)
        handler.body = self.block(handler.body, (caught,))

    # Other statements that hold blocks or annotations

    def _rewrite_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            item.context_expr = self.expressions.opened(item.context_expr)
        swallows = self.has_calls and may_swallow(node, self.swallowers)
        falls_off = not ends_the_block(node.body)
        node.body = self.block(node.body)
        if swallows:
            self._swallowed(node, falls_off)

    def _swallowed(self, node: ast.With | ast.AsyncWith, falls_off: bool) -> None:
        """Report an exception that ``with`` swallowed: the end of the body was not reached."""
        controls = self.expressions.controls
        (target,) = self.plan.add_branch(node.lineno, ("swallowed",), controls)
        links: Links = ([], [Link(target, 0.0, 1.0, 1.0)])
        name = self.expressions.site("swallow", "", "tap", links)
        if not self.expressions.needs(name):
            return
        # On the header's line, to which control returns for `__exit__` anyway.
        position = nodes.header(node.lineno, node.col_offset)
        if falls_off:
            node.body.append(nodes.reported(name, False, position))
        self._after = [nodes.reported(name, True, position)]

    _rewrite_asyncwith = _rewrite_with

    def _rewrite_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            node.value = self.expressions.rewrite(node.value)

    def _rewrite_typealias(self, node: ast.stmt) -> None:
        """Do not change ``type X = ...``, an annotation that is evaluated lazily."""


def _may_raise(statement: ast.stmt) -> bool:
    """Say whether a simple statement contains a call, look-up or unpacking, which may raise."""
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return False
    return calls.completes(statement.value) or any(map(_takes_apart, ast.walk(statement)))


def _takes_apart(node: ast.AST) -> bool:
    """Say whether a node looks something up (``data["name"]``), divides or unpacks."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, (ast.Load, ast.Del))
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Subscript)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))
    return isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Store)


def _expects_failure(handler: ast.ExceptHandler) -> bool:
    caught = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    # Exceptions of an enum member's look-up, and their base classes.
    return any(
        each is None
        or getattr(each, "id", "") in ("ValueError", "KeyError", "LookupError", "Exception")
        for each in caught
    )


def _is_future_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
