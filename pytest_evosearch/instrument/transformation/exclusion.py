"""Code without targets: marked code, and code that cannot run.

A module opts out by ``EVOSEARCH_DONT_INSTRUMENT`` in its docstring, a line by
``# pragma: no cover``.

The marker has the form and range of coverage.py: on the header of a compound statement or on an
``else:`` it excludes the whole block.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.instrument.transformation.nodes import NodesByType
from pytest_evosearch.instrument.transformation.nodes import descendants

OPT_OUT = "EVOSEARCH_DONT_INSTRUMENT"
"""A module with this word in its docstring is left unchanged."""

MARKER = re.compile(r"#\s*(pragma|PRAGMA)[:\s]?\s*(no|NO)\s*(cover|COVER)")
"""coverage.py's own default."""

STATICALLY_FALSE = frozenset({"TYPE_CHECKING"})
STATICALLY_TRUE = frozenset({"__debug__"})


STUB = re.compile(r"^\s*(((async )?def .*?)?[\])]+(\s*->.*?)?:\s*)?\.\.\.\s*(#|$)")
"""A body of three dots, which newer versions of coverage.py exclude."""


Patterns = Sequence[str] | None
"""Regular expressions of excluded lines; None for the default."""


class Exclusion:
    """Knows the marked lines of one source text."""

    def __init__(self, source: str, patterns: Patterns = None) -> None:
        self._lines = source.splitlines()
        marked = self._marked_by_default() if patterns is None else _matching(source, patterns)
        self._marked = frozenset(marked)

    def _marked_by_default(self) -> Iterator[int]:
        for number, line in enumerate(self._lines, start=1):
            marked = "cover" in line.lower() and MARKER.search(line)
            if marked or ("..." in line and STUB.search(line)):
                yield number

    def __bool__(self) -> bool:
        return bool(self._marked)

    def between(self, first: int, last: int) -> bool:
        """Say whether a line from `first` to `last`, both included, is marked."""
        return any(first <= line <= last for line in self._marked)

    def covers(self, node: ast.stmt | ast.ExceptHandler | ast.match_case) -> bool:
        """Say whether a marker on the statement (on its header, if it has a body) excludes it."""
        if not self._marked:
            return False
        first = first_line(node)
        body = node.cases if isinstance(node, ast.Match) else getattr(node, "body", None)
        if not body:
            return self.between(first, getattr(node, "end_lineno", None) or first)
        return self.between(first, self._header_end(first, first_line(body[0])))

    def covers_alternative(self, body: list[ast.stmt], alternative: list[ast.stmt]) -> bool:
        """Say whether the ``else:`` (or ``finally:``) between two blocks is marked."""
        if not (self._marked and body and alternative):
            return False
        after = (body[-1].end_lineno or body[-1].lineno) + 1
        first = first_line(alternative[0])
        words = [line for line in range(after, first) if _is_keyword_line(self._lines[line - 1])]
        return bool(words) and words[-1] in self._marked

    def _header_end(self, first: int, body: int) -> int:
        """Return the line of the colon before the body that begins on line `body`."""
        for line in range(body - 1, first, -1):
            text = self._lines[line - 1].partition("#")[0].strip()
            if text.endswith(":"):
                return line
        return first


def _matching(source: str, patterns: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of lines in which any pattern matches, even across lines."""
    if not patterns:
        return
    anything = "|".join(f"(?:{pattern})" for pattern in patterns)
    for match in re.finditer(anything, source, re.MULTILINE):
        first = source.count("\n", 0, match.start()) + 1
        yield from range(first, first + source.count("\n", *match.span()) + 1)


def _is_keyword_line(text: str) -> bool:
    return text.strip().startswith(("else", "finally"))


def first_line(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> int:
    """Return the first line of a statement, including its decorators."""
    if isinstance(node, ast.match_case):
        return node.pattern.lineno
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(node.lineno, decorators[0].lineno) if decorators else node.lineno


def static_truth(test: ast.expr) -> bool | None:
    """Return the outcome of a condition that is constant in an imported module, else None."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = static_truth(test.operand)
        return None if inner is None else not inner
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    if name in STATICALLY_FALSE:
        return False
    if name in STATICALLY_TRUE:
        return __debug__
    return False if _is_main_guard(test) else None


def _is_main_guard(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def is_docstring(statement: ast.stmt) -> bool:
    """Say whether the first statement of a body is its docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def leaves_no_trace(statement: ast.stmt) -> bool:
    """Say whether the compiler makes no code for a statement (coverage.py does not count it)."""
    if isinstance(statement, (ast.Global, ast.Nonlocal)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return False


def ends_the_block(body: list[ast.stmt]) -> bool:
    """Say whether control never reaches the end of `body`."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return ends_the_block(last.body) and ends_the_block(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def is_irrefutable(pattern: ast.pattern) -> bool:
    """Say whether a pattern matches everything, looking through ``as`` and ``|``."""
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or is_irrefutable(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return any(is_irrefutable(alternative) for alternative in pattern.patterns)
    return False


def opts_out(tree: ast.Module) -> bool:
    """Say whether a module's docstring opts out."""
    return OPT_OUT in (ast.get_docstring(tree, clean=False) or "")


def literals(module: NodesByType) -> list[tuple[object, int]]:
    """List the literal str, int, float and bytes constants with their lines, without docstrings."""
    ignored = _ignored_constants(module)
    return [
        (node.value, node.lineno)
        for node in module.get(ast.Constant, ())
        if type(node.value) in (str, int, float, bytes) and id(node) not in ignored
    ]


def _ignored_constants(module: NodesByType) -> set[int]:
    """Return the ids of constants in annotations, and of docstrings."""
    annotations = [node.annotation for kind in ANNOTATED for node in module.get(kind, ())]
    annotations += [node.returns for kind in FUNCTIONS for node in module.get(kind, ())]
    ignored = {id(node.value) for node in module.get(ast.Expr, ())}
    for annotation in annotations:
        if annotation is not None:
            ignored.update(map(id, descendants(annotation)))
    return ignored


ANNOTATED = (ast.arg, ast.AnnAssign)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
