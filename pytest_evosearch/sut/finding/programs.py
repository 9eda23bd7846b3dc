"""Finds modules that start a server: programs that may add routes first."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.project_scan import parsed
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files
from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import reference_to_file

MAIN = "main"
"""Usual name of a program's main function."""

_STARTS = re.compile(r"\b(?:run|run_\w+|serve\w*|start\w*|listen|server|make_server|main)\(")
"""Calls that may start a server; programs without one are left alone."""


@dataclass(frozen=True)
class Program:
    """A module with a block for the main program, or with a main function."""

    reference: AppReference
    path: Path
    statements: Sequence[ast.stmt]
    """The block below ``if __name__ == "__main__":``; empty where there is only a function."""

    @property
    def function(self) -> str | None:
        """The main function, None where the block does more than call it."""
        if not self.statements:
            return MAIN
        first = self.statements[0]
        if len(self.statements) > 1 or not isinstance(first, ast.Expr):
            return None
        call = first.value
        if not isinstance(call, ast.Call) or call.args or call.keywords:
            return None
        return call.func.id if isinstance(call.func, ast.Name) else None

    @property
    def prepares(self) -> bool:
        """Say whether the program may do more than start a server."""
        return self.function is not None or len(self.statements) > 1


def find_programs(root: Path, first: str | None = None) -> list[Program]:
    """Return the programs below `root`, that of the module `first` before all others."""
    found = [one for path in source_files(root, tests=False) if (one := _program(path))]

    def rank(program: Program) -> tuple[bool, bool, int, Path]:
        depth = len(program.path.relative_to(root).parts)
        return (
            program.reference.module != first,
            not program.statements,
            depth,
            program.path,
        )

    return sorted(found, key=rank)


def _program(path: Path) -> Program | None:
    text = read_source(path)
    if not _STARTS.search(text) or ("__main__" not in text and f"def {MAIN}(" not in text):
        return None
    tree = parsed(text)
    statements = main_block(tree)
    if statements or any(_is_main(node) for node in tree.body):
        return Program(reference_to_file(path), path, statements)
    return None


def main_block(tree: ast.Module) -> Sequence[ast.stmt]:
    """Return the block below ``if __name__ == "__main__":``."""
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            return node.body
    return ()


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == MAIN
