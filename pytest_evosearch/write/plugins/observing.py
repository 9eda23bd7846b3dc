"""A pytest plugin that notes the values in assertions of written tests.

A copy beside the log is loaded with ``-p``, so this file imports neither pytest-evosearch nor
pytest. It reads environment variables:

    EVOSEARCH_VERIFY_LOG      file to which one JSON object per line is appended
    EVOSEARCH_OBSERVE_TESTS   JSON object: path of a module -> names of the tests to observe

Without the second variable, it only notes what a failing assertion compared. With it (for
``--evosearch-update``), only those tests run, and no assertion ends them. Each function is compiled
again, with its ``assert`` statements turned into calls that evaluate both sides and continue. The
files on disk do not change.

Values are written as JSON; bytes and everything else become objects with one key: ``__any__``,
``__bytes__`` or ``__other__``.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_open, _write, _close, _dumps = os.open, os.write, os.close, json.dumps
"""Applications may replace the modules' functions."""

_OBSERVE = "__evosearch_observe__"
_OPERATORS = {ast.Eq: "==", ast.Is: "is", ast.In: "in", ast.NotIn: "not in"}


def encoded(value: Any) -> Any:
    """Return `value` in a form that JSON supports."""
    if _is_any(value):
        return {"__any__": True}
    if isinstance(value, bytes):
        return {"__bytes__": value.decode("latin-1")}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: encoded(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(element) for element in value]
    return {"__other__": type(value).__name__}


def _is_any(value: Any) -> bool:
    """Say whether a value is `unittest.mock.ANY`.

    It is not imported for this check, because that would import asyncio, too.
    """
    mock = sys.modules.get("unittest.mock")
    return mock is not None and value is getattr(mock, "ANY", mock)


class _Observing(ast.NodeTransformer):
    """Turns ``assert left == right`` into ``observe(line, "==", lambda: left, lambda: right)``."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """Replace one assertion."""
        operator, sides = sides_of(node.test)
        arguments: list[ast.expr] = [ast.Constant(node.lineno), ast.Constant(operator)]
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        arguments += [ast.Lambda(nothing, side) for side in (node.test, *sides)]
        call = ast.Call(ast.Name(_OBSERVE, ast.Load()), arguments, [])
        return ast.copy_location(ast.Expr(call), node)


def sides_of(test: ast.expr) -> tuple[str, tuple[ast.expr, ...]]:
    """Return the operator of an assertion and its two sides; ("", ()) for any other form."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPERATORS:
        return _OPERATORS[type(test.ops[0])], (test.left, test.comparators[0])
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Attribute)
        and test.func.attr == "startswith"
        and len(test.args) == 1
    ):
        return "startswith", (test.func.value, test.args[0])
    return "", ()


def _seen(test: Callable[[], Any], sides: Iterable[Callable[[], Any]]) -> dict[str, Any]:
    """Evaluate an assertion and its sides."""
    try:
        holds = bool(test())
        values = [encoded(side()) for side in sides]
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {"holds": holds, **dict(zip(("left", "right"), values, strict=False))}


class Witness:
    """Notes what each failing assertion compared."""

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Evaluate both sides again when the test has just failed."""
        if call.excinfo is None or not issubclass(call.excinfo.type, AssertionError):
            return
        code = getattr(getattr(item, "obj", None), "__code__", None)
        for step in call.excinfo.traceback:
            if code is not None and step.frame.raw.f_code is code:
                entry = _failed_assertion(item.path, step.lineno + 1, step.frame.raw)
                if entry:
                    _log({"compared": item.nodeid, **entry})


def _failed_assertion(path: Path, line: int, frame: Any) -> dict[str, Any]:
    for function in _functions(path):
        for node in ast.walk(function):
            if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or line):
                operator, sides = sides_of(node.test)
                evaluate = [_evaluation(side, frame) for side in (node.test, *sides)]
                seen = _seen(evaluate[0], evaluate[1:])
                return {"line": node.lineno, "operator": operator, **seen}
    return {}


def _evaluation(node: ast.expr, frame: Any) -> Callable[[], Any]:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<assertion>", "eval")
    names = {**frame.f_globals, **frame.f_locals}
    return lambda: eval(code, names)


def _log(entry: dict[str, Any]) -> None:
    # Several processes append to one log. A buffered file would write a long line in parts.
    descriptor = _open(os.environ["EVOSEARCH_VERIFY_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        _write(descriptor, _dumps(entry).encode() + b"\n")
    finally:
        _close(descriptor)


class Observer:
    """Runs tests without letting their assertions end them."""

    def __init__(self) -> None:
        self._item: Any = None

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the wanted tests, compiled so that no assertion ends them."""
        wanted = json.loads(os.environ["EVOSEARCH_OBSERVE_TESTS"])
        items[:] = [item for item in items if _name(item) in wanted.get(str(item.path), ())]
        for item in items:
            item.obj = _observed_function(item, self._observe)
            for function in _fixture_functions(item):
                _observe_fixture(function, item)

    def pytest_runtest_setup(self, item: Any) -> None:
        """Remember whose assertions follow."""
        self._item = item

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Note whether a test ran to its end."""
        if call.when == "call" and call.excinfo is None:
            self._log({"ended": True})
        elif call.excinfo is not None:
            error = call.excinfo.value
            self._log({"raised": f"{type(error).__name__}: {error}"[:300]})

    def _observe(
        self, line: int, operator: str, test: Callable[[], Any], *sides: Callable[[], Any]
    ) -> None:
        self._log({"line": line, "operator": operator, **_seen(test, sides)})

    def _log(self, entry: dict[str, Any]) -> None:
        entry["file"], entry["test"] = str(self._item.path), _name(self._item)
        _log({**entry, "of": self._item.nodeid})  # `perturbation` notes its row


def _name(item: Any) -> str:
    return str(getattr(item, "originalname", None) or item.name)


def _observed_function(item: Any, observe: Callable[..., None]) -> Any:
    vars(item.module)[_OBSERVE] = observe
    return _observed(_name(item), item) or item.obj


def _observed(name: str, item: Any) -> Any:
    """Return a function of the item's module, compiled again; None when there is none."""
    for node in _functions(item.path):
        if node.name == name:
            node.decorator_list = []
            module = ast.Module([_Observing().visit(node)], type_ignores=[])
            code = compile(ast.fix_missing_locations(module), str(item.path), "exec")
            found: dict[str, Any] = {}
            exec(code, vars(item.module), found)
            return found[node.name]
    return None


def _fixture_functions(item: Any) -> Iterator[Any]:
    """Yield the functions of a test's fixtures that its own module defines."""
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        for definition in definitions:
            if definition.func.__code__.co_filename == str(item.path):
                yield definition.func


def _observe_fixture(function: Any, item: Any) -> None:
    """Let no assertion of a fixture end a test."""
    observed = _observed(function.__name__, item)
    if observed is not None and not function.__code__.co_freevars:
        function.__code__ = observed.__code__


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def pytest_configure(config: Any) -> None:
    """Register the hooks of this session."""
    observes = "EVOSEARCH_OBSERVE_TESTS" in os.environ
    config.pluginmanager.register(Observer() if observes else Witness(), "evosearch-observing")
