"""What the code of a unit does with its parameters, as its source says."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from enum import EnumMeta
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.constructed import Named


@dataclass(frozen=True)
class Uses:
    """What the code of a function does with names."""

    called: frozenset[str] = frozenset()
    """Names that it calls: an argument with one is a function."""
    members: Mapping[str, Sequence[Named]] = field(default_factory=dict)
    """Name -> the members of an enum with one of which it is compared."""
    variables: tuple[str, ...] = ()
    """Environment variables that it reads by name."""


def uses_of(function: Any) -> Uses:
    """Return what the source of a function says; nothing where it cannot be read."""
    called: set[str] = set()
    members: dict[str, dict[Named, None]] = {}
    variables: dict[str, None] = {}
    for node in _nodes(function):
        variables.update(dict.fromkeys(_variables(node)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = [one for side in sides for one in _members(side, function)]
            for side in sides if named else ():
                if isinstance(side, ast.Name):
                    members.setdefault(side.id, {}).update(dict.fromkeys(named))
    known = {name: [*found] for name, found in members.items()}
    return Uses(frozenset(called), known, tuple(variables))


def _variables(node: ast.AST) -> Iterator[str]:
    """Yield the name of the environment variable that an expression reads."""
    names: list[ast.expr] = []
    if isinstance(node, ast.Call) and _ends_with(node.func, "environ.get", "getenv"):
        names = node.args[:1]
    elif isinstance(node, ast.Subscript) and _ends_with(node.value, "environ"):
        names = [node.slice]
    elif isinstance(node, ast.Compare) and _ends_with(node.comparators[0], "environ"):
        names = [node.left]
    for name in names:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value


def _ends_with(node: ast.expr, *names: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and f".{ast.unparse(node)}".endswith(
        tuple(f".{name}" for name in names)
    )


def constructors_of(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the class methods whose hint or name says that they make an object of their class."""
    for name, value in vars(kind).items():
        if isinstance(value, classmethod) and not name.startswith("_"):
            hint = str(getattr(value.__func__, "__annotations__", {}).get("return", ""))
            is_told = hint.strip("'\"").rpartition(".")[2] in (kind.__name__, "Self")
            if is_told or (not hint and name.startswith("from_")):
                yield name, value.__func__


def _members(node: ast.expr, function: Any) -> list[Named]:
    """Return the members of the enum of which an expression names one: ``Colour.RED``."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return []
    found = getattr(inspect.unwrap(function), "__globals__", {}).get(node.value.id)
    if not isinstance(found, EnumMeta) or node.attr not in found.__members__:
        return []
    return [Named(found.__module__, f"{found.__qualname__}.{one}") for one in found.__members__]


def _nodes(function: Any) -> Iterator[ast.AST]:
    """Yield the nodes of a function's source; none where it cannot be read."""
    try:
        source = inspect.getsource(inspect.unwrap(function))
        yield from ast.walk(ast.parse(textwrap.dedent(source)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return
