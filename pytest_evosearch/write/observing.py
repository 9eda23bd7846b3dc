"""A pytest plugin that runs written tests and notes what each assertion sees, failing none.

`--evosearch-update` copies this one file beside its log and loads it with ``-p``, so it
imports nothing of pytest-evosearch and not pytest either.  The tests themselves are not
touched on disk: each function is compiled once more with its ``assert`` statements turned
into calls that evaluate both sides and go on.  It listens to environment variables:

    EVOSEARCH_OBSERVE_LOG     file to which one JSON object per line is appended
    EVOSEARCH_OBSERVE_TESTS   JSON object: path of a module -> names of the tests to observe

Values are written as JSON; bytes and everything else become objects with one key of `TAGS`.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

TAGS = ("__any__", "__bytes__", "__other__")

_OBSERVE = "__evosearch_observe__"
_OPERATORS = {ast.Eq: "==", ast.Is: "is", ast.In: "in"}


def encoded(value: Any) -> Any:
    """Return `value` as JSON can hold it."""
    if value is ANY:
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


class Observer:
    """The hooks of one session."""

    def __init__(self) -> None:
        self._item: Any = None

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the wanted tests, compiled so that nothing they assert ends them."""
        wanted = json.loads(os.environ["EVOSEARCH_OBSERVE_TESTS"])
        items[:] = [item for item in items if _name(item) in wanted.get(str(item.path), ())]
        for item in items:
            item.obj = _observed_function(item, self._observe)

    def pytest_runtest_setup(self, item: Any) -> None:
        """Remember whose assertions come next."""
        self._item = item

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Note a test that cannot be run to its end, and one that was."""
        if call.when == "call" and call.excinfo is None:
            self._log({"ended": True})
        elif call.excinfo is not None:
            error = call.excinfo.value
            self._log({"raised": f"{type(error).__name__}: {error}"[:300]})

    def _observe(
        self, line: int, operator: str, test: Callable[[], Any], *sides: Callable[[], Any]
    ) -> None:
        entry: dict[str, Any] = {"line": line, "operator": operator}
        try:
            entry["holds"] = bool(test())
            values = [encoded(side()) for side in sides]
        except Exception as error:
            entry["error"] = f"{type(error).__name__}: {error}"[:300]
        else:
            entry.update(zip(("left", "right"), values, strict=False))
        self._log(entry)

    def _log(self, entry: dict[str, Any]) -> None:
        callspec = getattr(self._item, "callspec", None)
        rows = list(getattr(callspec, "indices", {}).values())
        entry["file"], entry["test"] = str(self._item.path), _name(self._item)
        entry["row"] = rows[0] if rows else 0
        with open(os.environ["EVOSEARCH_OBSERVE_LOG"], "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(json.dumps(entry) + "\n")


def _name(item: Any) -> str:
    return str(getattr(item, "originalname", None) or item.name)


def _observed_function(item: Any, observe: Callable[..., None]) -> Any:
    namespace = vars(item.module)
    namespace[_OBSERVE] = observe
    for node in _functions(item.path):
        if node.name == _name(item):
            node.decorator_list = []
            module = ast.Module([_Observing().visit(node)], type_ignores=[])
            code = compile(ast.fix_missing_locations(module), str(item.path), "exec")
            found: dict[str, Any] = {}
            exec(code, namespace, found)
            return found[node.name]
    return item.obj


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def pytest_configure(config: Any) -> None:
    """Register the hooks of this session."""
    config.pluginmanager.register(Observer(), "evosearch-observing")
