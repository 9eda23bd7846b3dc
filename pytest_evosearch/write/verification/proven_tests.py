"""Identifies a written test by its content, so that no test is verified twice.

A test is identified by its statements, by each row of its table, by the parts of its module that it
uses, and by the fixtures beside it. Its name, its docstring and neighbouring tests do not count:
the unchanged run of the whole suite shows their effects.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.isolation import json
from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.verification.verdicts import Test

VARIABLE = "EVOSEARCH_VERIFY_PROVEN"
"""Variable with the tests that a run may leave out."""

LONGEST_LIST = 100_000
"""Most characters of that variable: the system limits its length."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def fingerprints(folder: Path, modules: Sequence[Path]) -> dict[Test, str]:
    """Return a fingerprint of each test and each row in the `modules` of a suite."""
    support = "".join(
        f"{path.name}\n{path.read_text(encoding='utf-8', errors='replace')}"
        for path in sorted(folder.glob("*.py"))
        if not path.name.startswith(PREFIX)
    )
    found: dict[Test, str] = {}
    for module in modules:
        for (test, row), text in _texts(module.read_text(encoding="utf-8", errors="replace")):
            found[module.name, test, row] = _digest(support, text)
    return found


def left_out(proven: Collection[Test]) -> Mapping[str, str]:
    """Return the variable that makes a run leave out the `proven` tests."""
    listed = json.dumps(sorted(proven, key=repr))
    return {VARIABLE: listed} if proven and len(listed) <= LONGEST_LIST else {}


def _texts(source: str) -> Iterator[tuple[tuple[str, int | None], str]]:
    """Yield each test, or each of its rows, with the text of all its parts."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    definitions = _definitions(tree)
    around = "\n".join(ast.dump(one) for one in tree.body if _is_for_all(one))
    for node in tree.body:
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test"):
            table = next((one for one in node.decorator_list if _is_table(one)), None)
            text = f"{around}\n{_text_of(node, table, definitions)}"
            rows = _rows_of(table) if table is not None else None
            if rows is None:
                whole = ast.dump(table) if table is not None else ""
                yield (node.name, None), f"{text}\n{whole}"
                continue
            names = ast.dump(table.args[0]) if isinstance(table, ast.Call) else ""
            for place, row in enumerate(rows):
                yield (node.name, place), f"{text}\n{names}\n{ast.dump(row)}"


def _text_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    table: ast.expr | None,
    definitions: Mapping[str, ast.stmt],
) -> str:
    """Return the text of a test without name, docstring and table, with all definitions it uses."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    marks = [one for one in node.decorator_list if one is not table]
    parts: list[ast.AST] = [node.args, *marks, *body]
    used = _used([*parts, *([table] if table is not None else [])], definitions)
    return "\n".join(ast.dump(one) for one in (*parts, *used))


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """Return the statements of a module by the names that they define, without tests."""
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found[(alias.asname or alias.name).partition(".")[0]] = node
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            if not node.name.startswith("test"):
                found[node.name] = node
        else:
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    found[part.id] = node
    return found


def _used(parts: Sequence[ast.AST], definitions: Mapping[str, ast.stmt]) -> list[ast.AST]:
    """Return the definitions that `parts` use, directly or not, in the order of their names."""
    found: dict[str, ast.AST] = {}
    waiting = list(parts)
    while waiting:
        for name in _names(waiting.pop()):
            if name in definitions and name not in found:
                statement = definitions[name]
                found[name] = _alone(statement, name)
                if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                    waiting.append(statement)
    return [found[name] for name in sorted(found)]


def _alone(statement: ast.stmt, name: str) -> ast.AST:
    """Return an import of one name alone: its other names depend on other tests."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return statement
    alias = next(
        one for one in statement.names if (one.asname or one.name).partition(".")[0] == name
    )
    if isinstance(statement, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part refers to; fixtures are arguments."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


def _is_for_all(node: ast.stmt) -> bool:
    """Say whether a statement of a module affects all its tests: a mark, or another action."""
    if isinstance(node, ast.Assign):
        return any(isinstance(one, ast.Name) and one.id == "pytestmark" for one in node.targets)
    if isinstance(node, _FUNCTIONS):
        return any("autouse" in ast.dump(one) for one in node.decorator_list)
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    return not isinstance(node, (ast.Import, ast.ImportFrom, ast.AnnAssign, ast.ClassDef))


def _is_table(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parametrize"
        and len(node.args) > 1
    )


def _rows_of(table: ast.expr) -> list[ast.expr] | None:
    rows = table.args[1] if isinstance(table, ast.Call) else None
    return list(rows.elts) if isinstance(rows, (ast.List, ast.Tuple)) else None


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
