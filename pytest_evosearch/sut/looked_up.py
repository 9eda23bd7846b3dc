"""The names that a function looks up in mappings, read from its source.

A handler that copies its arguments (``filters = request.args.to_dict()``) reads the copy, which no
container of ours observes. But the names stand in its source: ``filters["sort"]``, ``"sort" in
filters``, ``filters.get("sort")``.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import CodeType

LOOK_UPS = frozenset({"get", "pop", "getlist", "setdefault"})
"""Methods of mappings whose first argument is a name."""

MOST_NAMES = 20
"""Most names of one function; with more, the look-ups are hardly about the request."""

LONGEST_NAME = 40

_OTHER_MAPPINGS = frozenset({"config", "environ", "extensions", "headers", "cookies", "session"})
"""Names of mappings that do not hold request arguments."""


class LookedUpNames:
    """Reads each source file once, when one of its functions is first needed."""

    def __init__(self) -> None:
        self._by_file: dict[str, dict[int, tuple[str, ...]]] = {}

    def of(self, code: CodeType) -> tuple[str, ...]:
        """Return the names that the function of `code` looks up; () when its source is missing."""
        names = self._by_file.get(code.co_filename)
        if names is None:
            names = self._by_file[code.co_filename] = _read(code.co_filename)
        return names.get(code.co_firstlineno, ())


def _read(file: str) -> dict[int, tuple[str, ...]]:
    """Return the names, by the first line of each function (decorators included)."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found[line] = tuple(dict.fromkeys(_names(node)))[:MOST_NAMES]
    return found


def _names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        for key in _keys(node):
            name = key.value if isinstance(key, ast.Constant) else None
            if isinstance(name, str) and _may_name_an_input(name):
                yield name


def _keys(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the keys that `node` itself looks up."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if not _holds_something_else(node.value):
            yield node.slice
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        # ``"a" in "abc"`` and ``"a" in ["a", "b"]`` test for a value, not for a name.
        container = node.comparators[0]
        is_mapping = isinstance(container, (ast.Name, ast.Attribute, ast.Call))
        if is_mapping and not _holds_something_else(container):
            yield node.left
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        looks_up = node.func.attr in LOOK_UPS and not _holds_something_else(node.func.value)
        yield from node.args[:1] if looks_up else ()


def _holds_something_else(container: ast.expr) -> bool:
    """Say whether the name of a mapping excludes request arguments: ``app.config``."""
    name = container.attr if isinstance(container, ast.Attribute) else ""
    if isinstance(container, ast.Name):
        name = container.id
    return name in _OTHER_MAPPINGS


def _may_name_an_input(text: str) -> bool:
    plain = text.replace("-", "_").replace(".", "_").replace("[]", "")
    return len(text) <= LONGEST_NAME and plain.isidentifier()
