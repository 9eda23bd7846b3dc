"""Our targets beside coverage.py's statements and branches, on the standard library.

A few dozen modules by default, all of them with EVOSEARCH_ALL_MODULES=1.  Every difference of the
lines falls under one of these explanations:

- header: coverage.py counts the line of an ``except`` or ``case``; with us that is a branch target;
- decorated: coverage.py counts every decorator and the ``def`` or ``class`` line; with us the
  statement begins on its first decorator;
- dead: code under ``if __name__ == "__main__"`` or ``if TYPE_CHECKING`` cannot run when imported;
- constant: coverage.py leaves out what the compiler's optimiser drops (``if 0 and x``), and counts
  some string statements that are no docstrings.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sysconfig
import types
import warnings
from pathlib import Path

import pytest
from coverage.parser import PythonParser

from pytest_evosearch.instrument.transformation.exclusion import MARKER
from pytest_evosearch.instrument.transformation.exclusion import STUB
from pytest_evosearch.instrument.transformation.exclusion import Exclusion
from pytest_evosearch.instrument.transformation.exclusion import is_irrefutable
from pytest_evosearch.instrument.transformation.exclusion import static_truth
from pytest_evosearch.instrument.transformation.transform import instrument

MODULES = (
    *("abc", "argparse", "ast", "base64", "bisect", "calendar", "cmd", "codecs", "configparser"),
    *("contextlib", "copy", "csv", "dataclasses", "difflib", "enum", "fractions", "functools"),
    *("glob", "heapq", "html.parser", "http.cookies", "inspect", "json.decoder", "logging"),
    *("numbers", "optparse", "pathlib", "pprint", "queue", "random", "sched", "shlex", "string"),
    *("tempfile", "textwrap", "threading", "types", "typing", "urllib.parse", "uuid", "weakref"),
)

EXCLUDED = f"{MARKER.pattern}|{STUB.pattern}"
ALL_MODULES = bool(os.environ.get("EVOSEARCH_ALL_MODULES"))
FOREIGN = {"site-packages", "test", "tests", "lib2to3", "idle_test"}


def every_module() -> list[object]:
    root = Path(sysconfig.get_paths()["stdlib"])
    files = [path for path in root.rglob("*.py") if FOREIGN.isdisjoint(path.parts)]
    return [
        pytest.param(path, id=path.relative_to(root).as_posix())
        for path in sorted(files)
        if path.stat().st_size > 10
    ]


SOME_MODULES = [
    pytest.param(Path(spec.origin), id=name)
    for name in MODULES
    if (spec := importlib.util.find_spec(name)) is not None
    and spec.origin is not None
    and spec.origin.endswith(".py")
]
PATHS = every_module() if ALL_MODULES else SOME_MODULES


def read(path: Path) -> str:
    try:
        source = path.read_text(encoding="utf-8")
        ast.parse(source)
    except (SyntaxError, UnicodeDecodeError):
        pytest.skip("no source of this Python")
    return source


def span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def explained_lines(tree: ast.Module) -> set[int]:
    explained: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            explained.add(node.lineno)
        elif isinstance(node, ast.match_case):
            explained.add(node.pattern.lineno)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if is_stub(node):  # Its three dots exclude the definition with them.
                explained.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if node.decorator_list:
                explained.update([node.lineno, *(d.lineno for d in node.decorator_list)])
        elif isinstance(node, ast.If) and static_truth(node.test) is False:
            explained.update(line for statement in node.body for line in span(statement))
        elif isinstance(node, (ast.If, ast.Expr)) and is_dropped(node):
            explained.update(span(node))
    return explained


def lines_of_code(source: str) -> set[int]:
    """Return the lines for which the compiler makes code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes = [compile(source, "module", "exec", dont_inherit=True)]
    lines: set[int] = set()
    while codes:
        code = codes.pop()
        lines.update(line for _, _, line in code.co_lines() if line is not None)
        codes.extend(each for each in code.co_consts if isinstance(each, types.CodeType))
    return lines


def is_dropped(node: ast.If | ast.Expr) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    operands = getattr(node.test, "values", [])
    return any(isinstance(operand, ast.Constant) for operand in operands)


@pytest.mark.parametrize("path", PATHS)
def test_line_targets_agree_with_coverage(path: Path) -> None:
    source = read(path)
    parser = PythonParser(text=source, filename=str(path), exclude=EXCLUDED)
    parser.parse_source()
    _, plan = instrument(source, path.name, 1)
    ours = {row.line for row in plan.targets if row.name.startswith("line")}

    differences = ours ^ parser.statements

    assert ours or ALL_MODULES
    assert differences <= explained_lines(ast.parse(source)) | (ours - lines_of_code(source))


Decision = ast.If | ast.While | ast.For | ast.AsyncFor | ast.match_case
DECISIONS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.match_case)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def header_line(node: Decision) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno


def our_branch_lines(tree: ast.Module, source: str, name: str) -> set[int]:
    """Return the lines of the statements that have a target for each of several sides."""
    _, plan = instrument(source, name, 1)
    lines = {row.line for row in plan.targets if row.name.startswith("branch")}
    statements = {header_line(node) for node in ast.walk(tree) if isinstance(node, DECISIONS)}
    return lines & statements


def explained_branches(tree: ast.Module, exclusion: Exclusion) -> set[int]:
    explained = {line for node in ast.walk(tree) for line in dead_lines(node)}
    for node in ast.walk(tree):
        if isinstance(node, DECISIONS):
            if node.body[0].lineno == header_line(node) or follows_on_one_line(node):
                explained.add(header_line(node))
            if has_marked_side(node, exclusion):
                explained.add(header_line(node))
        elif isinstance(node, DEFINITIONS) and (
            node.body[0].lineno == node.lineno or is_stub(node)
        ):
            explained.update(range(node.lineno, node.body[0].lineno + 1))
        if isinstance(node, ast.Match) and is_irrefutable(node.cases[-1].pattern):
            explained.add(header_line(node.cases[-1]))
        if isinstance(node, (ast.Try, *TRY_STAR)) and node.finalbody:
            explained.update(decision_lines(node.finalbody[-1:]))
    return explained


TRY_STAR = (ast.TryStar,) if hasattr(ast, "TryStar") else ()


def has_marked_side(node: Decision, exclusion: Exclusion) -> bool:
    sides = [node.body, getattr(node, "orelse", [])]
    return exclusion.covers_alternative(*sides) or any(
        side and exclusion.covers(side[0]) for side in sides
    )


def follows_on_one_line(node: Decision) -> bool:
    orelse = getattr(node, "orelse", [])
    return bool(orelse) and orelse[0].lineno == header_line(node)


def is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], (ast.Expr, ast.Pass))


def dead_lines(node: ast.AST) -> set[int]:
    if not isinstance(node, (ast.If, ast.While)):
        return set()
    operands = getattr(node.test, "values", [])
    if static_truth(node.test) is None and not any(isinstance(o, ast.Constant) for o in operands):
        return set()
    return {node.lineno, *decision_lines(node.body)}


def decision_lines(body: list[ast.stmt]) -> set[int]:
    inner = [part for statement in body for part in ast.walk(statement)]
    lines = {header_line(part) for part in inner if isinstance(part, DECISIONS)}
    return lines | {part.lineno for part in inner if isinstance(part, DEFINITIONS)}


@pytest.mark.parametrize("path", PATHS)
def test_branch_targets_agree_with_coverage(path: Path) -> None:
    source = read(path)
    tree = ast.parse(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # An old way to write something, in an old module.
        parser = PythonParser(text=source, filename=str(path), exclude=EXCLUDED)
        parser.parse_source()
        theirs = {line for line, exits in parser.exit_counts().items() if exits > 1}
    ours = our_branch_lines(tree, source, path.name)

    assert ours ^ theirs <= explained_branches(tree, Exclusion(source))


@pytest.mark.parametrize("path", PATHS)
def test_entering_a_body_is_an_arc_of_coverage(path: Path) -> None:
    """Where both see a branch, coverage.py has an arc to the body whose entry we record."""
    source = read(path)
    tree = ast.parse(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parser = PythonParser(text=source, filename=str(path), exclude=EXCLUDED)
        parser.parse_source()
        arcs = parser.arcs()
        branching = {line for line, exits in parser.exit_counts().items() if exits > 1}
    missing = [
        header_line(node)
        for node in ast.walk(tree)
        if isinstance(node, DECISIONS)
        and header_line(node) in branching
        and leaves_code(node.body[0])
        and (header_line(node), entry_line(node.body[0])) not in arcs
    ]

    assert set(missing) <= explained_branches(tree, Exclusion(source))


def entry_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def leaves_code(statement: ast.stmt) -> bool:
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not is_constant and not isinstance(statement, (ast.Global, ast.Nonlocal))
