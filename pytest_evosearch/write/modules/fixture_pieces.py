"""Takes a written conftest.py apart into named pieces, so that one which fails can be left out.

A piece is a fixture. A fixture that restores several things has a part for each of them: a
statement that fails, with the variable ``saved_...`` that it uses. What nothing defines is imported
where the standard library has it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import pathlib
import symtable
import sys
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass

_SAVED = "saved_"

_Node = TypeVar("_Node", bound=ast.stmt)


@dataclass(frozen=True)
class Piece:
    """One fixture."""

    name: str
    first: int
    """First line, with decorators."""
    last: int
    requested: tuple[str, ...]
    """The fixtures that it asks for."""
    is_automatic: bool
    """Whether every test gets it."""


def pieces_of(text: str) -> list[Piece]:
    """Return the fixtures of a conftest.py; none of one that is no Python."""
    return [_piece(node) for node in _fixtures(text)]


def needed_by(names: Collection[str], pieces: Collection[Piece]) -> set[str]:
    """Return `names`, and all fixtures that these ask for, directly or not."""
    requested = {one.name: one.requested for one in pieces}
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            # A fixture that wraps another one of its name asks for that of the project.
            waiting += requested.get(name, ())
    return found


def asking_for(name: str, pieces: Collection[Piece]) -> set[str]:
    """Return the fixtures that ask for `name`, directly or not, with itself."""
    return {one.name for one in pieces if name in needed_by([one.name], pieces)}


def without(text: str, names: Collection[str]) -> str:
    """Return a conftest.py without some of its fixtures, and without imports for them alone."""
    lines = text.splitlines()
    for piece in reversed([one for one in pieces_of(text) if one.name in names]):
        lines[piece.first - 1 : piece.last] = []
    return _without_imports(_tidied(lines), text)


def without_part(text: str, line: int) -> str | None:
    """Return a conftest.py without what the statement at `line` restores; None where it is no part.

    A part is a statement in the body of an automatic fixture beside its ``yield``.
    """
    node = next(
        (one for one in _fixtures(text) if one.lineno <= line <= (one.end_lineno or 0)), None
    )
    if node is None or not _piece(node).is_automatic:
        return None
    failing = next((one for one in node.body if one.lineno <= line <= (one.end_lineno or 0)), None)
    if failing is None or isinstance(failing, (ast.Import, ast.ImportFrom)) or _yields(failing):
        return None
    saved = {name for name in _names(failing) if name.startswith(_SAVED)}
    parts = [one for one in node.body if one is failing or saved & _names(one)]
    rest = [one for one in node.body if one not in parts and not _is_opening(one)]
    if any(map(_yields, parts)) or all(map(_yields, rest)):
        return None
    lines = text.splitlines()
    for part in reversed(parts):
        lines[part.lineno - 1 : part.end_lineno] = []
    return "\n".join(lines) + "\n"


def undefined(text: str) -> dict[str, int]:
    """Return names that a conftest.py uses and nothing defines, each with a line."""
    with contextlib.suppress(SyntaxError, ValueError):
        table = symtable.symtable(text, "conftest.py", "exec")
        known = {one.get_name() for one in table.get_symbols()} | set(dir(builtins))
        free = set(_globals(table)) - known - {"__file__", "__name__"}
        used = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name)]
        return {one.id: one.lineno for one in reversed(used) if one.id in free}
    return {}


def import_of(name: str) -> str:
    """Return what imports a name from the standard library, or pytest; empty for any other name."""
    if name in {*sys.stdlib_module_names, "pytest"}:
        return f"import {name}"
    for module in (contextlib, pathlib):
        if name in module.__all__:
            return f"from {module.__name__} import {name}"
    return ""


def with_imports(text: str, names: Collection[str]) -> str:
    """Return a conftest.py with imports of `names` from the standard library."""
    lines = text.splitlines()
    wanted = {import_of(name) for name in names}
    place = next((at for at, line in enumerate(lines) if line.startswith(("import ", "from "))), 0)
    lines[place:place] = sorted(wanted, key=lambda line: (line.startswith("from"), line))
    return "\n".join(lines) + "\n"


def _fixtures(text: str) -> list[ast.FunctionDef]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return []
    functions = (one for one in body if isinstance(one, ast.FunctionDef))
    return [one for one in functions if any("fixture" in ast.dump(d) for d in one.decorator_list)]


def _at(line: int, nodes: Sequence[_Node]) -> _Node | None:
    """Return the node that has a line."""
    return next((one for one in nodes if one.lineno <= line <= (one.end_lineno or 0)), None)


def _piece(node: ast.FunctionDef) -> Piece:
    automatic = any("autouse" in ast.dump(one) for one in node.decorator_list)
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    requested = tuple(one.arg for one in node.args.args)
    return Piece(node.name, first, node.end_lineno or node.lineno, requested, automatic)


def _yields(node: ast.stmt) -> bool:
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(node))


def _is_opening(node: ast.stmt) -> bool:
    """Say whether a statement only prepares others: an import, a docstring, or a helper."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return not any(name.startswith(_SAVED) for name in _names(node))
    return is_text or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef))


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        yield from (one.get_name() for one in inner.get_symbols() if one.is_global())
        yield from _globals(inner)


def _tidied(lines: list[str]) -> str:
    """Return lines as a text that has at most two empty lines in a row, and none at its end."""
    kept: list[str] = []
    for line in lines:
        if line or kept[-2:] != ["", ""]:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def _without_imports(text: str, before: str) -> str:
    """Return a text without imports that only parts of the one `before` needed."""
    used, earlier = _words(text), _words(before)
    kept = []
    for line in text.splitlines():
        bound = line.rpartition(" ")[2] if line.startswith(("import ", "from ")) else ""
        if not bound or "," in line or bound in used or bound not in earlier or "#" in line:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _words(text: str) -> set[str]:
    try:
        return _names(ast.parse(text))
    except (SyntaxError, ValueError):
        return set()
