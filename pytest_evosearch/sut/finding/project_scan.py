"""Reads a project's source without running it: where it creates applications."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pytest_evosearch.core import folder_names
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.application_loader import APPLICATION_NAMES
from pytest_evosearch.sut.finding.application_loader import FACTORY_NAMES
from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import reference_to_file

FILES_LIMIT = 3000
"""Most source files that are read; a larger project gets a message with the option to set."""

_SKIPPED = frozenset(
    (
        *folder_names.FOREIGN,
        "build",
        "dist",
        "docs",
        "doc",
        "migrations",
        "alembic",
        "examples",
        "example",
        "scripts",
    )
)
_APPLICATION = re.compile(
    r"^([^\W\d]\w*)\s*(?::[^=\n]+)?=\s*(?:(?:\w+\.)*\w*Flask(?:App)?|connexion\.(?:Flask)?App"
    r"|OpenAPI|(?:dash\.)?Dash)\(",
    re.MULTILINE,
)
"""Flask itself, Connexion's FlaskApp and App, APIFlask, OpenAPI of flask-openapi3, and Dash."""
_SERVED = re.compile(rf"^({'|'.join(APPLICATION_NAMES)})\s*(?::[^=\n]+)?=[^=]", re.MULTILINE)
_FACTORY = re.compile(rf"^def ({'|'.join(FACTORY_NAMES)})\(", re.MULTILINE)
_CALLED = re.compile(
    rf"^([^\W\d]\w*)\s*(?::[^=\n]+)?=\s*(?:\w+\.)*(?:{'|'.join(FACTORY_NAMES)})\(", re.MULTILINE
)
"""A module that calls the factory with the arguments that people use."""
_MADE_INSIDE = re.compile(r"^\s+\w+\s*=\s*(?:flask\.)?Flask\(", re.MULTILINE)


def find_applications(root: Path) -> list[AppReference]:
    """Return the places below `root` that create a Flask application, the likeliest first."""
    ranked = []
    for path in source_files(root, tests=False):
        text = read_source(path)
        depth = len(path.relative_to(root).parts)
        made = [
            [match[1] for match in pattern.finditer(text)] for pattern in (_APPLICATION, _FACTORY)
        ]
        called = [match[1] for match in _CALLED.finditer(text)]
        for rank, names in enumerate((*made, _unusual_factories(text), called)):
            if rank == 0 and len(names) > 1:
                # Of several applications, the one with the usual name is served.
                names += [match[1] for match in _SERVED.finditer(text)]
            ranked += [
                (rank, depth, path, name not in APPLICATION_NAMES, name) for name in set(names)
            ]
    return [reference_to_file(path, name) for _, _, path, _, name in sorted(ranked)]


def _unusual_factories(text: str) -> list[str]:
    """Return functions without needed arguments that make an application and return something."""
    if not _MADE_INSIDE.search(text):
        return []
    return [
        function.name
        for function in parsed(text).body
        if isinstance(function, ast.FunctionDef) and function.name not in FACTORY_NAMES
        if len(function.args.args) == len(function.args.defaults)
        if _MADE_INSIDE.search(ast.unparse(function)) and returns(list(ast.walk(function)))
    ]


class ParsedTests:
    """The syntax trees of the test files below a folder, parsed when first needed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def trees(self) -> Mapping[Path, ast.Module]:
        """File -> tree, in a stable order; empty for files with errors."""
        return {path: parsed(read_source(path)) for path in source_files(self._root, tests=True)}


def returns(nodes: Sequence[ast.AST]) -> bool:
    """Say whether a function with these nodes returns something and is no generator."""
    yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes)
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
    return returns and not yields


def source_files(root: Path, *, tests: bool) -> Iterator[Path]:
    """Yield the test files below `root`, or all other files, in a stable order."""
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_walked(Path(folder) / name))
        inside_tests = bool(folder_names.TESTS & set(Path(folder).relative_to(root).parts))
        for name in sorted(files):
            if not name.endswith(".py"):
                continue
            seen += 1
            if seen > FILES_LIMIT:
                return
            if tests == (inside_tests or name.startswith("test_") or name == "conftest.py"):
                yield Path(folder) / name


def _is_walked(folder: Path) -> bool:
    name = folder.name
    if name.startswith(".") or name in _SKIPPED or name.endswith(".egg-info"):
        return False
    return not (folder / "pyvenv.cfg").exists()


def read_source(path: Path) -> str:
    """Return the text of a file, empty for an unreadable one."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


@dataclass(frozen=True)
class Imported:
    """The origin of a name in a test module."""

    module: str
    name: str


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of `source`, an empty one for code with errors."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def imports_of(tree: ast.AST) -> dict[str, Imported]:
    """Return the names that absolute imports bind, with their origins."""
    return {
        alias.asname or alias.name: Imported(node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
        if alias.asname is None or alias.asname == alias.name
    }
