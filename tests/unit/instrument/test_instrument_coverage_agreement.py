"""Our line targets beside coverage.py's statements, on modules of the standard library.

Every difference falls under one of these explanations:

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
from pathlib import Path

import pytest
from coverage.parser import PythonParser

from pytest_evosearch.instrument.exclusion import MARKER
from pytest_evosearch.instrument.exclusion import static_truth
from pytest_evosearch.instrument.transform import instrument

MODULES = (
    *("abc", "argparse", "ast", "base64", "bisect", "calendar", "cmd", "codecs", "configparser"),
    *("contextlib", "copy", "csv", "dataclasses", "difflib", "enum", "fractions", "functools"),
    *("glob", "heapq", "html.parser", "http.cookies", "inspect", "json.decoder", "logging"),
    *("numbers", "optparse", "pathlib", "pprint", "queue", "random", "sched", "shlex", "string"),
    *("tempfile", "textwrap", "threading", "types", "typing", "urllib.parse", "uuid", "weakref"),
)

PATHS = [
    pytest.param(Path(spec.origin), id=name)
    for name in MODULES
    if (spec := importlib.util.find_spec(name)) is not None
    and spec.origin is not None
    and spec.origin.endswith(".py")
]


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
            if node.decorator_list:
                explained.update([node.lineno, *(d.lineno for d in node.decorator_list)])
        elif isinstance(node, ast.If) and static_truth(node.test) is False:
            explained.update(line for statement in node.body for line in span(statement))
        elif isinstance(node, (ast.If, ast.Expr)) and is_dropped(node):
            explained.update(span(node))
    return explained


def is_dropped(node: ast.If | ast.Expr) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    operands = getattr(node.test, "values", [])
    return any(isinstance(operand, ast.Constant) for operand in operands)


@pytest.mark.parametrize("path", PATHS)
def test_line_targets_agree_with_coverage(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    parser = PythonParser(text=source, filename=str(path), exclude=MARKER.pattern)
    parser.parse_source()
    _, plan = instrument(source, path.name, 1)
    ours = {row.line for row in plan.targets if row.name.startswith("line")}

    differences = ours ^ parser.statements

    assert ours
    assert differences <= explained_lines(ast.parse(source))
