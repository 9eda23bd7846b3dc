"""Small changes of a source text, made by the operators of mutmut.

mutmut is used as a library: its table of operators (numbers, strings, arguments, assigned
values, comparisons, `and`/`or`, keywords, ternaries) says how a node of libcst's tree changes.
Where mutants are wanted is decided here, because mutmut itself skips every function with a
decorator, which all handlers of Flask have.  Left out as in mutmut: annotations, defaults,
decorators, docstrings, the arguments of `len` and `isinstance`, and lines that say
``# pragma: no mutate``.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.strength.source_layout import Layout
from pytest_evosearch.strength.source_layout import layout_of

if TYPE_CHECKING:
    import libcst

    Operator = Callable[[Any], Iterable[libcst.CSTNode]]

KEPT_CALLS = ("len", "isinstance")
"""Calls whose arguments mutmut does not change: such changes say nothing about the tests."""

FEWER = {"string": 1}
"""Operator -> number of its changes that are used.

For a text only ``XX...XX``. Its other changes, of lower and upper case, are mostly invisible in SQL
and in names of headers and methods, where no test could notice them.
"""

NO_MUTATION = "pragma: no mutate"

CONTEXT = 1
"""Unchanged lines around a change in a diff."""


@dataclass(frozen=True)
class Mutant:
    """One changed source text."""

    file: Path
    line: int
    """1-based line of the change in the original."""
    statement: range
    """Lines of the changed statement."""
    function: str
    """Qualified name of the changed function."""
    operator: str
    """mutmut's name of the operator, without its prefix: ``arg_removal``."""
    source: str
    diff: str
    """Unified, without the header."""


@dataclass(frozen=True)
class _Change:
    """A node of the tree and its replacement."""

    line: int
    operator: str
    original: Any
    changed: Any


def require_library() -> None:
    """Raise `InvalidSetting` when mutmut is not installed, or too old to be used as a library."""
    try:
        found = importlib.util.find_spec("mutmut.mutation.mutators") is not None
    except ImportError:
        found = False
    if not found:
        raise InvalidSetting(
            "--evosearch-mutants needs mutmut 3.6 or newer: "
            "pip install 'pytest-evosearch[mutation]'"
        )


class MutatedFile:
    """The mutants of one file; their texts are made on demand."""

    def __init__(self, file: Path, text: str) -> None:
        """Parse `text`; raises SyntaxError for invalid Python."""
        self.file = file
        self.text = text
        self.layout: Layout = layout_of(text)
        self._module, self._changes = _changes(text)

    def lines(self) -> list[int]:
        """Return the line of each change, in the order in which `mutant` counts them."""
        return [change.line for change in self._changes]

    def mutant(self, index: int) -> Mutant | None:
        """Return a mutant, None when it is invalid Python or equal to the original program."""
        change = self._changes[index]
        source = self._module.deep_replace(change.original, change.changed).code
        if not _is_another_program(self.text, source):
            return None
        function = self.layout.function_at(change.line)
        return Mutant(
            self.file,
            change.line,
            self.layout.statement_at(change.line),
            function.name if function is not None else "",
            change.operator,
            source,
            _diff(self.text, source),
        )


def _is_another_program(before: str, after: str) -> bool:
    try:
        return ast.dump(ast.parse(before)) != ast.dump(ast.parse(after))
    except (SyntaxError, ValueError):
        return False


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), n=CONTEXT, lineterm="", fromfile="", tofile=""
    )
    return "\n".join(list(lines)[2:])


def _changes(text: str) -> tuple[Any, list[_Change]]:
    import libcst
    from libcst.metadata import MetadataWrapper
    from libcst.metadata import PositionProvider
    from mutmut.mutation.mutators import mutation_operators

    wrapper = MetadataWrapper(libcst.parse_module(text))
    positions = wrapper.resolve(PositionProvider)
    silenced = {number for number, line in enumerate(text.splitlines(), 1) if NO_MUTATION in line}
    found: list[_Change] = []

    class Collector(libcst.CSTVisitor):
        """Gathers the changes of the nodes inside function bodies."""

        depth = 0

        def on_visit(self, node: libcst.CSTNode) -> bool:
            if _is_left_out(node):
                return False
            if self.depth and node in positions:
                line = positions[node].start.line
                if line not in silenced:
                    found.extend(_changes_of(node, line, mutation_operators))
            self.depth += isinstance(node, libcst.FunctionDef)
            return True

        def on_leave(self, original_node: libcst.CSTNode) -> None:
            self.depth -= isinstance(original_node, libcst.FunctionDef)

    wrapper.module.visit(Collector())
    return wrapper.module, found


def _changes_of(
    node: libcst.CSTNode, line: int, operators: Iterable[tuple[type, Operator]]
) -> Iterator[_Change]:
    for kind, operator in operators:
        if isinstance(node, kind):
            name = getattr(operator, "__name__", "").removeprefix("operator_")
            for changed in islice(operator(node), FEWER.get(name)):
                yield _Change(line, name, node, changed)


def _is_left_out(node: libcst.CSTNode) -> bool:
    """Say whether a node and everything inside it stays unchanged."""
    import libcst

    if isinstance(node, libcst.Annotation | libcst.Decorator | libcst.Parameters):
        return True
    if isinstance(node, libcst.Expr):
        return isinstance(node.value, libcst.BaseString)
    if isinstance(node, libcst.Call) and isinstance(node.func, libcst.Name):
        return node.func.value in KEPT_CALLS
    return False
