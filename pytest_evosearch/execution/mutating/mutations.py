"""Small changes of a module's source, as the usual mistakes of programmers.

A change is known by its number: the same source gives the same changes in the same order.
"""

from __future__ import annotations

import ast
import marshal
import warnings
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}

_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Div,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutation:
    """One change."""

    number: int
    line: int


Change = Callable[[], Callable[[], None]]
"""Changes the tree in place, and returns what undoes that."""


def mutations_of(source: str) -> list[Mutation]:
    """Return the changes of a source, in its functions and methods."""
    return [
        Mutation(number, line) for number, (line, _change) in enumerate(_all(ast.parse(source)))
    ]


def mutated(source: str, number: int) -> ast.Module:
    """Return the tree of a source with one change."""
    tree = ast.parse(source)
    for at, (_line, change) in enumerate(_all(tree)):
        if at == number:
            change()
            return tree
    raise IndexError(number)


class Mutants:
    """The changes of one source, which is read once for many of them."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._changes = [change for _line, change in _all(self._tree)]
        self._codes: dict[int | None, bytes] = {}
        """Number of a change -> the code of the whole source, packed: there may be hundreds."""

    def code(self, number: int | None, filename: str) -> CodeType:
        """Return the code with one change, or with none; it is compiled once."""
        if number not in self._codes:
            with warnings.catch_warnings(), self.tree(number) as tree:
                warnings.simplefilter("ignore")
                code = compile(tree, filename, "exec", dont_inherit=True)
                self._codes[number] = marshal.dumps(code)
        found: CodeType = marshal.loads(self._codes[number])
        return found

    @contextmanager
    def tree(self, number: int | None) -> Iterator[ast.Module]:
        """Give the tree with one change, which is undone afterwards, or with none."""
        undo = self._changes[number]() if number is not None else lambda: None
        try:
            yield self._tree
        finally:
            undo()


@cache
def mutants_of(source: str) -> Mutants:
    """Return the changes of a source; a fork has what its parent has asked for."""
    return Mutants(source)


def _all(tree: ast.Module) -> Iterator[tuple[int, Change]]:
    """Yield each change with the line of its statement; none that was yielded is carried out."""
    for function in _functions(tree):
        for statement in function.body:
            for node, line in _with_lines(statement):
                for change in _changes(node):
                    yield line, change
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if default is not None:
                for change in _changes(default):
                    yield default.lineno, change


def _with_lines(statement: ast.stmt) -> Iterator[tuple[ast.AST, int]]:
    """Yield all nodes of a statement, with the first lines of the innermost ones around them."""
    lines: dict[ast.AST, int] = {statement: statement.lineno}
    for node in ast.walk(statement):
        yield node, lines[node]
        for child in ast.iter_child_nodes(node):
            lines.setdefault(child, child.lineno if isinstance(child, ast.stmt) else lines[node])


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the outermost functions; those inside them are a part of theirs."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _functions(node)


def _changes(node: ast.AST) -> Iterator[Change]:
    for kind, change in _KINDS:
        if isinstance(node, kind):
            yield from change(node)
            return


def _of_comparison(node: ast.Compare) -> Iterator[Change]:
    for at, operator in enumerate(node.ops):
        yield _put(node.ops, at, _COMPARED[type(operator)]())


def _of_operation(node: ast.BinOp | ast.AugAssign) -> Iterator[Change]:
    other = _COMPUTED.get(type(node.op))
    if other is not None:
        yield _set(node, "op", other())


def _of_and_or(node: ast.BoolOp) -> Iterator[Change]:
    yield _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _of_sign(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.USub):
        yield _set(node, "op", ast.UAdd())
    elif isinstance(node.op, ast.Not):
        yield _set(node, "operand", ast.UnaryOp(ast.Not(), node.operand))


def _of_return(node: ast.Return) -> Iterator[Change]:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield _set(node, "value", ast.Constant(None))


def _of_call(node: ast.Call) -> Iterator[Change]:
    yield from (_remove(node.keywords, at) for at in range(len(node.keywords)))
    if len(node.args) > 1:
        yield from (_put(node.args, at, ast.Constant(None)) for at in range(len(node.args)))


def _of_statement(node: ast.Expr) -> Iterator[Change]:
    if isinstance(node.value, ast.Call):
        yield _set(node, "value", ast.Constant(None))


def _of_if(node: ast.If) -> Iterator[Change]:
    yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _of_constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield _set(node, "value", not value)
    elif isinstance(value, (int, float)):
        yield _set(node, "value", value + 1)
    elif isinstance(value, str):
        yield _set(node, "value", f"XX{value}XX")
    elif value is None:
        yield _set(node, "value", "")


def _set(node: ast.AST, name: str, value: object) -> Change:
    def change() -> Callable[[], None]:
        before = getattr(node, name)
        setattr(node, name, _located(value, before))
        return lambda: setattr(node, name, before)

    return change


def _put(nodes: list[Any], at: int, value: ast.AST) -> Change:
    def change() -> Callable[[], None]:
        before = nodes[at]
        nodes[at] = _located(value, before)
        return lambda: nodes.__setitem__(at, before)

    return change


def _remove(nodes: list[ast.keyword], at: int) -> Change:
    def change() -> Callable[[], None]:
        before = nodes.pop(at)
        return lambda: nodes.insert(at, before)

    return change


def _located(value: object, before: object) -> object:
    """Return a new node with the place of the one that it replaces, which it may contain."""
    if not isinstance(value, ast.AST) or not isinstance(before, ast.AST):
        return value
    return ast.fix_missing_locations(ast.copy_location(value, before))


_KINDS: tuple[tuple[Any, Callable[[Any], Iterator[Change]]], ...] = (
    (ast.Compare, _of_comparison),
    ((ast.BinOp, ast.AugAssign), _of_operation),
    (ast.BoolOp, _of_and_or),
    (ast.UnaryOp, _of_sign),
    (ast.Constant, _of_constant),
    (ast.Return, _of_return),
    (ast.Call, _of_call),
    (ast.If, _of_if),
    (ast.Expr, _of_statement),
)
"""Kinds of nodes, and how each is changed."""
