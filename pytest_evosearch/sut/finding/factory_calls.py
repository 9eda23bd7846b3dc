"""Finds how a project's own tests create the application, to create it in this way.

    import shop

    def test_list():
        app = shop.create_app(CATALOGUES, title="Books")

Constants of the tests are replaced by their values, because the copied call does not know the
constants.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core import folder_names
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.application_loader import FACTORY_NAMES
from pytest_evosearch.sut.finding.project_scan import Imported
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.project_scan import imports_of
from pytest_evosearch.sut.finding.project_scan import returns
from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import module_of

DEEPEST = 5
"""Deepest nesting of constants inside constants."""


_TEST_LIBRARIES = ("unittest", "pytest")

_NOT_COPIED = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.comprehension)


def find_factory_calls(tests: ParsedTests) -> list[AppReference]:
    """Return copies of the calls of application factories in the project's own tests.

    A function of the tests that calls a factory and returns something counts instead of the call
    inside it: ``tests.helpers.create_shop`` may set the application up. Arguments must be literals,
    imported names, or constants of the tests; other names exist only in the test. The most frequent
    call comes first.
    """
    factories = {
        Imported(module_of(path)[1], function.name)
        for path, tree in tests.trees.items()
        for function in _factories_of(tree)
    }
    counted: dict[AppReference, int] = {}
    for path in tests.trees:
        for reference in _calls_in(path, tests.trees, factories):
            counted[reference] = counted.get(reference, 0) + 1
    return sorted(counted, key=lambda reference: -counted[reference])


def _factories_of(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a test module that create an application for their callers."""
    imported, modules = imports_of(tree), _modules_of(tree)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            continue
        nodes = list(ast.walk(function))
        called = [
            _origin_of(node.func, imported, modules) for node in nodes if isinstance(node, ast.Call)
        ]
        made = any(origin is not None and origin.name in FACTORY_NAMES for origin in called)
        if made and returns(nodes) and not function.name.startswith("test"):
            yield function


def _calls_in(
    path: Path, trees: Mapping[Path, ast.Module], factories: Collection[Imported]
) -> Iterator[AppReference]:
    tree = trees[path]
    imported, modules = imports_of(tree), _modules_of(tree)
    passed_over = {id(node) for function in _factories_of(tree) for node in ast.walk(function)}
    passed_over |= {id(node) for block in _refusals_in(tree) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in passed_over:
            origin = _origin_of(node.func, imported, modules)
            if origin is not None and (origin.name in FACTORY_NAMES or origin in factories):
                reference = _reference_to_call(node, origin, _Constants(path, trees))
                if reference is not None:
                    yield reference


def _refusals_in(tree: ast.Module) -> Iterator[ast.With]:
    """Yield the blocks that expect an exception."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            entered = [item.context_expr for item in node.items]
            # Calls inside these blocks are expected to fail.
            if any(
                _called_name(one) in ("raises", "assertRaises", "assertRaisesRegex")
                for one in entered
            ):
                yield node


def _called_name(node: ast.expr) -> str:
    """Return ``raises`` for ``pytest.raises(KeyError)``; empty when it is no call."""
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else ""
    return function.id if isinstance(function, ast.Name) else name


def _modules_of(tree: ast.AST) -> frozenset[str]:
    """Return the modules that a module imports, by their names in it: ``shop``, ``shop.web``."""
    return frozenset(
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.asname is None
    )


def _origin_of(
    function: ast.expr, imported: Mapping[str, Imported], modules: Collection[str]
) -> Imported | None:
    """Return the origin of a called function: ``create_app`` or ``shop.create_app``."""
    if isinstance(function, ast.Name):
        return imported.get(function.id)
    if isinstance(function, ast.Attribute):
        holder = ast.unparse(function.value)
        if holder in modules:
            return Imported(holder, function.attr)
    return None


def _reference_to_call(
    call: ast.Call, origin: Imported, constants: _Constants
) -> AppReference | None:
    copied = deepcopy(call)
    copied.func = ast.Name(origin.name, ast.Load())
    copied.args = [constants.written_out(argument) for argument in copied.args]
    for keyword in copied.keywords:
        keyword.value = constants.written_out(keyword.value)
    if not constants.all_known:
        return None
    expression = ast.unparse(ast.fix_missing_locations(copied))
    return AppReference(origin.module, expression, imports=tuple(sorted(constants.imports)))


@dataclass
class _Constants:
    """Values of the names in a test module, as far as other modules can know them."""

    path: Path
    trees: Mapping[Path, ast.Module]
    imports: set[str] = field(default_factory=set)
    """Import statements that the written-out values need."""
    all_known: bool = True

    def written_out(self, value: ast.expr) -> ast.expr:
        """Return `value` with constants of the tests replaced by their values."""
        if any(isinstance(node, _NOT_COPIED) for node in ast.walk(value)):
            self.all_known = False
            return value
        written: ast.expr = _WritingOut(self, self.path, DEEPEST).visit(value)
        return written


class _WritingOut(ast.NodeTransformer):
    """Replaces the names of one module."""

    def __init__(self, constants: _Constants, path: Path, depth: int) -> None:
        self._constants = constants
        self._path = path
        self._depth = depth
        tree = constants.trees[path]
        self._imported = imports_of(tree)
        self._modules = {name.partition(".")[0]: name for name in _modules_of(tree)}

    def visit_Name(self, node: ast.Name) -> ast.expr:  # name given by the visitor's protocol
        origin = self._imported.get(node.id)
        if origin is not None and not _is_of_tests(origin.module):
            self._constants.imports.add(f"from {origin.module} import {origin.name}")
            return node
        if node.id in self._modules:
            self._constants.imports.add(f"import {self._modules[node.id]}")
            return node
        found = _constant(node.id, self._path, self._constants.trees)
        if found is None or not self._depth:
            self._constants.all_known = False
            return node
        path, value = found
        inner = _WritingOut(self._constants, path, self._depth - 1)
        written: ast.expr = inner.visit(deepcopy(value))
        return written


def _constant(
    name: str, path: Path, trees: Mapping[Path, ast.Module]
) -> tuple[Path, ast.expr] | None:
    """Return the module and value of a constant that a module assigns once, or imports."""
    assigned = [value for target, value in _assignments(trees[path]) if target == name]
    if assigned:
        return (path, assigned[0]) if len(assigned) == 1 else None
    for node in trees[path].body:
        if not isinstance(node, ast.ImportFrom):
            continue
        if {alias.name for alias in node.names if alias.asname is None} & {name, "*"}:
            origin = _file_of(node, path, trees)
            if origin is not None and origin != path:
                values = [value for target, value in _assignments(trees[origin]) if target == name]
                if len(values) == 1:
                    return origin, values[0]
    return None


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a module assigns, with their values."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _file_of(
    statement: ast.ImportFrom, path: Path, trees: Mapping[Path, ast.Module]
) -> Path | None:
    """Return the test module that a statement imports from."""
    module = statement.module or ""
    if statement.level:
        folder = path.parents[statement.level - 1]
        found = folder.joinpath(*module.split(".")).with_suffix(".py")
        return found if found in trees else None
    return next((other for other in trees if module_of(other)[1] == module), None)


def _is_of_tests(module: str) -> bool:
    parts = module.split(".")
    return (
        bool(folder_names.TESTS & set(parts)) or "conftest" in parts or parts[0] in _TEST_LIBRARIES
    )
