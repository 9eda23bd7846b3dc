"""Finds functions and classes in the modules of a project's tests by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Generic
from typing import TypeAlias
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

Node = TypeVar("Node")


@dataclass(frozen=True)
class Found(Generic[Node]):
    """A definition and the file that holds it."""

    node: Node
    path: str


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    """Yield the functions of a module and the methods of its classes."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield node, member


def marked_fixtures(function: Function) -> Iterator[str]:
    """Yield the names in ``pytest.mark.usefixtures(...)``, which pytest sets up first."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            named = decorator.args if decorator.func.attr == "usefixtures" else []
            yield from (str(one.value) for one in named if isinstance(one, ast.Constant))


class Sources:
    """Modules by path; finds definitions by name, in the same file first."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.modules = {
            path: tree for path, text in texts.items() if (tree := _parsed(text)) is not None
        }
        self._functions: dict[str, list[Found[Function]]] = {}
        self._classes: dict[str, list[Found[ast.ClassDef]]] = {}
        for path, tree in self.modules.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    self._classes.setdefault(node.name, []).append(Found(node, path))
            for _owner, function in definitions(tree.body):
                if not function.name.startswith("test"):
                    self._functions.setdefault(function.name, []).append(Found(function, path))

    def function(self, name: str, path: str) -> Found[Function] | None:
        """Return the function called `name`, as seen from the file `path`."""
        return _nearest(self._functions.get(name, []), path)

    def lineage(self, owner: ast.ClassDef, path: str, deepest: int) -> list[Found[ast.ClassDef]]:
        """Return a class after its known base classes, at most `deepest` steps away."""
        found: list[Found[ast.ClassDef]] = []
        if deepest > 0:
            for base in owner.bases:
                name = base.attr if isinstance(base, ast.Attribute) else ""
                name = base.id if isinstance(base, ast.Name) else name
                known = _nearest(self._classes.get(name, []), path)
                if known is not None and known.node is not owner:
                    found += self.lineage(known.node, known.path, deepest - 1)
        return [*found, Found(owner, path)]


def _nearest(known: Sequence[Found[Node]], path: str) -> Found[Node] | None:
    """Return the definition in the file `path`, else the only one there is."""
    near = [one for one in known if one.path == path] or (known if len(known) == 1 else [])
    return near[0] if near else None
