"""The outline of a source file: functions, references between them, and constant conditions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.report.influences import Origin
from pytest_evosearch.report.influences import external_origins
from pytest_evosearch.report.influences import identity_conditions

FIXED_ATTRIBUTES = frozenset({"config", "debug", "testing", "environ", "platform", "version_info"})
"""Attributes of an application, ``os`` or ``sys`` that do not change after the first request."""

FIXED_OWNERS = frozenset({"app", "application", "current_app", "os", "sys", "settings"})

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class FunctionSpan:
    """One function of a source file."""

    name: str
    first: int
    """First line, with decorators."""
    last: int
    decorators: tuple[str, ...] = ()
    """Source texts of its decorators."""

    def holds(self, line: int) -> bool:
        """Say whether `line` lies inside."""
        return self.first <= line <= self.last


@dataclass(frozen=True)
class Outline:
    """What the reasons need to know about one file."""

    functions: tuple[FunctionSpan, ...] = ()
    references: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Name or attribute -> lines that use it."""
    constant_conditions: dict[int, str] = field(default_factory=dict)
    """Line -> text of a condition on it that no request can change."""
    caught: dict[int, str] = field(default_factory=dict)
    """Line of an ``except`` -> the exceptions that it names."""
    tries: tuple[tuple[int, int, int], ...] = ()
    """(first line, last line) of the body of each ``try``, with the line of each handler."""
    lines: tuple[str, ...] = ()
    """The source, as a list of lines."""

    @cached_property
    def external(self) -> Mapping[int, Origin]:
        """Return each line that contacts another system, or uses its result, with its origin.

        This takes longer than all other properties together, and few files are asked for it.
        """
        return external_origins(ast.parse("\n".join(self.lines)))

    @cached_property
    def identity_conditions(self) -> frozenset[int]:
        """Return the lines of conditions that depend on who is logged in."""
        return identity_conditions(ast.walk(ast.parse("\n".join(self.lines))))

    def enclosing(self, line: int) -> FunctionSpan | None:
        """Return the innermost function around `line`; None at module level."""
        return self._innermost.get(line)

    @cached_property
    def _innermost(self) -> Mapping[int, FunctionSpan]:
        """Return each line inside a function, with the innermost one."""
        found: dict[int, FunctionSpan] = {}
        for span in sorted(self.functions, key=lambda span: span.first, reverse=True):
            for line in range(span.first, span.last + 1):
                found.setdefault(line, span)
        return found

    def text(self, line: int) -> str:
        """Return the text of `line` without line breaks; empty for a line that does not exist."""
        return " ".join(self.lines[line - 1].split()) if 0 < line <= len(self.lines) else ""


class Outlines(Mapping[str, Outline]):
    """The outlines of many files, each made when it is first needed."""

    def __init__(self, sources: Mapping[str, Callable[[], str]]) -> None:
        """Take the functions that read the source of each path."""
        self._sources = sources
        self._made: dict[str, Outline] = {}

    def __getitem__(self, path: str) -> Outline:
        if path not in self._made:
            self._made[path] = outline_of(self._sources[path]())
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def outline_of(source: str) -> Outline:
    """Return the outline of `source`; an empty one when it is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Outline()
    nodes = tuple(ast.walk(tree))  # only once: a large application has a million nodes
    return Outline(
        tuple(_function_span(node) for node in nodes if isinstance(node, FUNCTIONS)),
        _references(nodes),
        dict(_constant_conditions(nodes, _fixed_names(tree, nodes))),
        {
            node.lineno: ast.unparse(node.type) if node.type is not None else "any exception"
            for node in nodes
            if isinstance(node, ast.ExceptHandler)
        },
        tuple(
            (node.body[0].lineno, node.body[-1].end_lineno or 0, handler.lineno)
            for node in nodes
            if isinstance(node, ast.Try)
            for handler in node.handlers
        ),
        tuple(source.split("\n")),
    )


def _function_span(node: Function) -> FunctionSpan:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
    return FunctionSpan(node.name, first, node.end_lineno or node.lineno, decorators)


def _references(nodes: Iterable[ast.AST]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for node in nodes:
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node.lineno)
        elif isinstance(node, ast.Attribute):
            found.setdefault(node.attr, []).append(node.end_lineno or node.lineno)
        elif isinstance(node, ast.Constant) and _is_identifier(node.value):
            # ``getattr(self, "name")``, ``__all__`` and dispatch tables refer by text.
            found.setdefault(str(node.value), []).append(node.lineno)
    return {name: tuple(lines) for name, lines in found.items()}


def _is_identifier(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _constant_conditions(
    nodes: Iterable[ast.AST], fixed: frozenset[str]
) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            test = node.test
            if _is_fixed(test, fixed) and not isinstance(test, ast.Constant):
                yield test.lineno, ast.unparse(test)


def _fixed_names(tree: ast.Module, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return module-level names that keep one literal value, and imported constants."""
    literal: dict[str, bool] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            is_only_value = name not in literal and isinstance(statement.value, ast.Constant)
            literal[name] = is_only_value and len(statement.targets) == 1
        elif isinstance(statement, ast.ImportFrom):
            names = [alias.asname or alias.name for alias in statement.names]
            literal.update((name, name.isupper()) for name in names)
    rebound = {
        name
        for node in nodes
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    rebound |= {
        argument.arg
        for node in nodes
        if isinstance(node, ast.arguments)
        for argument in [*node.posonlyargs, *node.args, *node.kwonlyargs]
    }
    return frozenset(name for name, once in literal.items() if once and name not in rebound)


def _is_fixed(node: ast.expr, fixed: frozenset[str]) -> bool:
    """Say whether the value of `node` cannot change after the first request."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id in fixed
    if isinstance(node, ast.Attribute):
        owner = node.value
        owned = isinstance(owner, ast.Name) and owner.id in FIXED_OWNERS
        return owned and node.attr in FIXED_ATTRIBUTES
    if isinstance(node, ast.Subscript):
        return _is_fixed(node.value, fixed) and _is_fixed(node.slice, fixed)
    if isinstance(node, ast.Call):
        return _is_fixed_look_up(node, fixed)
    if isinstance(node, ast.UnaryOp):
        return _is_fixed(node.operand, fixed)
    if isinstance(node, ast.BoolOp):
        return all(_is_fixed(value, fixed) for value in node.values)
    if isinstance(node, ast.Compare):
        return all(_is_fixed(operand, fixed) for operand in [node.left, *node.comparators])
    return isinstance(node, ast.Tuple) and all(_is_fixed(one, fixed) for one in node.elts)


def _is_fixed_look_up(node: ast.Call, fixed: frozenset[str]) -> bool:
    """Say whether the call is ``app.config.get("NAME")`` or ``os.environ.get("NAME")``."""
    function = node.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "get"
        and _is_fixed(function.value, fixed)
        and all(_is_fixed(argument, fixed) for argument in node.args)
        and not node.keywords
    )
