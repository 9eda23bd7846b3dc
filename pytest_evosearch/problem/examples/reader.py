"""Test functions, the fixtures they ask for and the functions they call, as sequences of requests.

    for each test function, for each of its first parameter sets:
        walk set-up, then the body in the order of its lines;
        a call of a known function, a requested fixture: walk that one at this place;
        a request of a client: note it

Both sides of a branch are walked, a loop over a literal for its first items.  Every walk is
bounded, so that no source can make reading it long.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.problem.examples.expressions import MOST_CALLS
from pytest_evosearch.problem.examples.expressions import Evaluator
from pytest_evosearch.problem.examples.values import UNKNOWN
from pytest_evosearch.problem.examples.values import ExampleCall
from pytest_evosearch.problem.examples.values import ExampleTest

DEEPEST = 4
"""Functions called inside functions that are followed."""

MOST_SETS = 20
"""Parameter sets of one test: each is a request that somebody thought of."""

MOST_ITEMS = 3
"""Items of one loop."""

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def read_tests(sources: Mapping[str, str]) -> list[ExampleTest]:
    """Return the tests of `sources` (path -> text) that send requests, in the order of the text.

    Files that do not parse are passed over: pytest has said so already.
    """
    modules = {path: tree for path, text in sources.items() if (tree := _parsed(text)) is not None}
    functions = _Functions(modules)
    found: list[ExampleTest] = []
    for path, tree in modules.items():
        found.extend(test for test in _Module(path, tree, functions).tests() if test.calls)
    return found


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    """Yield the functions of a module and the methods of its classes."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield node, member


class _Functions:
    """The functions that tests may call, by name; those of the same file come first."""

    def __init__(self, modules: Mapping[str, ast.Module]) -> None:
        self._known: dict[str, list[tuple[str, Function]]] = {}
        for path, tree in modules.items():
            for _owner, function in _definitions(tree.body):
                if not function.name.startswith("test"):
                    self._known.setdefault(function.name, []).append((path, function))

    def find(self, name: str, path: str) -> Function | None:
        """Return the function called `name`, as seen from the file `path`."""
        known = self._known.get(name, [])
        near = [function for where, function in known if where == path]
        if near:
            return near[0]
        return known[0][1] if len(known) == 1 else None


class _Module:
    """Reads the tests of one file."""

    def __init__(self, path: str, tree: ast.Module, functions: _Functions) -> None:
        self._path = path
        self._tree = tree
        self._functions = functions
        self._globals = self._constants()

    def _constants(self) -> dict[str, object]:
        evaluator = Evaluator({}, [], lambda _call, _evaluator: UNKNOWN)
        for node in self._tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                _assign(node, evaluator)
        return evaluator.names

    def tests(self) -> Iterator[ExampleTest]:
        """Yield the tests in the order of their lines, one for each parameter set."""
        for owner, function in _definitions(self._tree.body):
            if not function.name.startswith("test"):
                continue
            for values in _parameter_sets(function, self._globals):
                calls = self._calls(owner, function, values)
                yield ExampleTest(f"{self._path}::{function.name}", tuple(calls))

    def _calls(
        self, owner: ast.ClassDef | None, function: Function, values: Mapping[str, object]
    ) -> list[ExampleCall]:
        calls: list[ExampleCall] = []
        evaluator = Evaluator({**self._globals, **values}, calls, self._inline)
        try:
            if owner is not None:
                for member in owner.body:
                    if isinstance(member, ast.FunctionDef) and member.name in _SET_UPS:
                        _walk(member.body, evaluator)
            self._request_fixtures(function, evaluator)
            _walk(function.body, evaluator)
        except RecursionError:  # a source nested as no person writes it
            return []
        return calls

    def _request_fixtures(self, function: Function, evaluator: Evaluator) -> None:
        for argument in function.args.args:
            if argument.arg in evaluator.names or argument.arg == "self":
                continue
            fixture = self._functions.find(argument.arg, self._path)
            if fixture is not None and _is_fixture(fixture):
                evaluator.names[argument.arg] = self._enter(fixture, {}, evaluator)

    def _inline(self, call: ast.Call, evaluator: Evaluator) -> object:
        """Read the function that a call names, with the arguments that it gets."""
        arguments = [evaluator.evaluate(value) for value in call.args]
        options = {word.arg: evaluator.evaluate(word.value) for word in call.keywords}
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = call.func.id if isinstance(call.func, ast.Name) else name
        function = self._functions.find(name, self._path)
        if function is None:
            return UNKNOWN
        names = [argument.arg for argument in function.args.args]
        if names[:1] == ["self"]:
            names = names[1:]
        bound = dict(zip(names, arguments, strict=False))
        bound.update({word: value for word, value in options.items() if word in names})
        return self._enter(function, bound, evaluator)

    def _enter(self, function: Function, bound: Mapping[str, object], caller: Evaluator) -> object:
        if caller.depth >= DEEPEST or len(caller.calls) >= MOST_CALLS:
            return UNKNOWN
        members = {name: value for name, value in caller.names.items() if name.startswith("self.")}
        scope = {**self._globals, **members}
        inner = Evaluator(scope, caller.calls, self._inline, caller.depth + 1)
        for name, default in _defaults(function):
            inner.names[name] = inner.evaluate(default)
        inner.names.update(bound)
        self._request_fixtures(function, inner)
        result = _walk(function.body, inner)
        caller.names.update(
            {name: value for name, value in inner.names.items() if name.startswith("self.")}
        )
        return result


_SET_UPS = ("setUp", "setup_method", "setup")


def _is_fixture(function: Function) -> bool:
    return any("fixture" in ast.dump(decorator) for decorator in function.decorator_list)


def _defaults(function: Function) -> Iterable[tuple[str, ast.expr]]:
    arguments = function.args.args
    return zip(
        [argument.arg for argument in arguments[len(arguments) - len(function.args.defaults) :]],
        function.args.defaults,
        strict=True,
    )


def _parameter_sets(function: Function, names: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the values that ``parametrize`` gives to a test; one empty set without it."""
    sets: list[dict[str, object]] = [{}]
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and len(decorator.args) >= 2):
            continue
        if not (isinstance(decorator.func, ast.Attribute) and decorator.func.attr == "parametrize"):
            continue
        evaluator = Evaluator(names, [], _first_argument)
        words, rows = (evaluator.evaluate(argument) for argument in decorator.args[:2])
        columns = words.split(",") if isinstance(words, str) else words
        if isinstance(columns, list) and isinstance(rows, list):
            variants = [_row([str(word).strip() for word in columns], row) for row in rows]
            sets = [{**known, **row} for row in variants[:MOST_SETS] for known in sets]
    yield from sets[:MOST_SETS]


def _first_argument(call: ast.Call, evaluator: Evaluator) -> object:
    """Return the values of ``pytest.param(...)``."""
    values = [evaluator.evaluate(argument) for argument in call.args]
    return values[0] if len(values) == 1 else values


def _row(columns: list[str], row: object) -> dict[str, object]:
    if len(columns) == 1:
        return {columns[0]: row}
    values = row if isinstance(row, list) else []
    return dict(zip(columns, values, strict=False))


def _walk(body: Sequence[ast.stmt], evaluator: Evaluator) -> object:
    """Read statements in their order; return what the function returns or yields, if known."""
    result: object = UNKNOWN
    for node in body:
        found = _read(node, evaluator)
        if result is UNKNOWN:
            result = found
    return result


def _read(node: ast.stmt, evaluator: Evaluator) -> object:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        _assign(node, evaluator)
        return UNKNOWN
    if isinstance(node, ast.Return):
        return evaluator.evaluate(node.value)
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Yield):
            return evaluator.evaluate(node.value.value)
        evaluator.evaluate(node.value)
        return UNKNOWN
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            value = evaluator.evaluate(item.context_expr)
            _bind(item.optional_vars, value, evaluator)
        return _walk(node.body, evaluator)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return _loop(node, evaluator)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return UNKNOWN
    return _others(node, evaluator)


def _others(node: ast.stmt, evaluator: Evaluator) -> object:
    """Read a statement of no particular meaning: its expressions, then its blocks."""
    result: object = UNKNOWN
    for _name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            evaluator.evaluate(value)
        elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            found = _walk(value, evaluator)
            result = found if result is UNKNOWN else result
    return result


def _loop(node: ast.For | ast.AsyncFor, evaluator: Evaluator) -> object:
    items = evaluator.evaluate(node.iter)
    result: object = UNKNOWN
    for item in items[:MOST_ITEMS] if isinstance(items, list) and items else [UNKNOWN]:
        _bind(node.target, item, evaluator)
        found = _walk(node.body, evaluator)
        result = found if result is UNKNOWN else result
    return result


def _assign(node: ast.Assign | ast.AnnAssign, evaluator: Evaluator) -> None:
    value = evaluator.evaluate(node.value)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        _bind(target, value, evaluator)


def _bind(target: ast.expr | None, value: object, evaluator: Evaluator) -> None:
    if isinstance(target, ast.Name):
        evaluator.names[target.id] = value
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        if target.value.id == "self":
            evaluator.names[f"self.{target.attr}"] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value if isinstance(value, list) else []
        for index, element in enumerate(target.elts):
            _bind(element, values[index] if index < len(values) else UNKNOWN, evaluator)
    elif isinstance(target, ast.Subscript):
        holder = evaluator.evaluate(target.value)
        key = evaluator.evaluate(target.slice)
        if isinstance(holder, dict) and isinstance(key, (str, int)):
            holder[key] = value
