"""Names of applications as people write them: ``shop``, ``shop:app``, ``shop:create_app('x')``."""

from __future__ import annotations

import ast
import re
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class AppReference:
    """An application by import, as a written conftest.py would import it."""

    module: str
    """Dotted name of the module."""
    expression: str | None = None
    """``app``, ``create_app('testing')``, ``factory.make()``; None for the module's best one."""
    directory: Path | None = None
    """Folder that `sys.path` needs, when the reference comes from a file."""
    imports: tuple[str, ...] = ()
    """Further import statements for the expression, ``from config import TestConfig``."""

    def __str__(self) -> str:
        return f"{self.module}:{self.expression}" if self.expression else self.module


def parse_reference(text: str, root: Path) -> AppReference:
    """Parse ``flask --app`` syntax: ``MODULE``, ``MODULE:NAME``, ``path/to/file.py:NAME``.

    Raise ValueError when the part after the colon is neither a name nor a call of one.
    """
    place, _, expression = _split(text)
    if expression:
        check_expression(expression)
    path = root / place
    if place.endswith(".py") or "/" in place or "\\" in place:
        return reference_to_file(path, expression or None)
    return AppReference(place.strip(), expression or None)


def reference_to_file(path: Path, expression: str | None = None) -> AppReference:
    """Name the module in the file or package folder `path` as an import would.

    A program of a package that imports what stands beside it, as ``python FILE`` finds it, is named
    as if its folder were no package; but ``__main__`` is the name of what runs already.
    """
    directory, module = module_of(path)
    beside = path.resolve().parent
    if path.suffix == ".py" and beside != directory and _needs_its_folder(path, directory):
        return AppReference(module if path.stem == "__main__" else path.stem, expression, beside)
    return AppReference(module, expression, directory)


def _needs_its_folder(path: Path, outer: Path) -> bool:
    """Say whether a file imports a module that stands beside it, and not in the folder `outer`."""
    beside = path.resolve().parent
    with suppress(OSError, SyntaxError, ValueError):
        for node in ast.parse(path.read_bytes()).body:
            named = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            named += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            for first in {str(name).partition(".")[0] for name in named} - {path.stem}:
                if _is_module_in(beside, first) and not _is_elsewhere(first, beside, outer):
                    return True
    return False


def _is_module_in(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or any((folder / name).glob("*.py"))


def _is_elsewhere(name: str, beside: Path, outer: Path) -> bool:
    """Say whether Python finds a module without the folder `beside`."""
    entries = [entry for entry in sys.path if Path(entry).resolve() != beside]
    is_builtin = name in sys.stdlib_module_names
    return is_builtin or _is_module_in(outer, name) or bool(PathFinder.find_spec(name, entries))


def module_of(path: Path) -> tuple[Path, str]:
    """Return the folder to put on `sys.path` and the dotted name, as ``flask run`` does.

    A folder of the project may already be on the path (``pythonpath = src``, an editable
    installation). Then the name of a package is relative to that folder, even inside a namespace
    package.
    """
    path = path.resolve()
    if path.suffix == ".py":
        path = path.with_suffix("")
    if path.name == "__init__":
        path = path.parent
    names = [path.name]
    directory = path.parent
    while (directory / "__init__.py").exists() and directory != directory.parent:
        names.append(directory.name)
        directory = directory.parent
    if (directory / names[-1] / "__init__.py").exists():
        outer = _importing_folder(directory)
        names += reversed(directory.relative_to(outer).parts)
        directory = outer
    return directory, ".".join(reversed(names))


def _importing_folder(directory: Path) -> Path:
    """Return the folder inside the project from which namespace packages are imported."""
    project, entries = Path.cwd().resolve(), {Path(entry).resolve() for entry in sys.path if entry}
    for outer in (directory, *directory.parents):
        if outer == project or not outer.name.isidentifier():
            break
        if outer in entries and outer.is_relative_to(project):
            return outer
    return directory


def check_expression(expression: str) -> None:
    """Raise ValueError unless `expression` is a name, an attribute, or a call of one."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"{expression!r} is neither a name nor a call") from None
    if isinstance(tree, ast.Subscript):
        tree = tree.value
    if isinstance(tree, ast.Call):
        tree = tree.func
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    if not isinstance(tree, ast.Name):
        raise ValueError(f"{expression!r} is neither a name nor a call")


def first_name(expression: str) -> str:
    """Return the first name of an expression: ``create_app`` for ``create_app()[0]``."""
    match = re.match(r"\s*([^\W\d]\w*)", expression)
    return match[1] if match else expression


def _split(text: str) -> tuple[str, str, str]:
    """Split at the colon, but not at the colon of a Windows drive."""
    match = re.search(r":(?![\\/])", text)
    if match is None:
        return text.strip(), "", ""
    return text[: match.start()].strip(), ":", text[match.end() :].strip()
