"""Reads test functions, their fixtures and the functions they call as sequences of requests.

    for each test function, for each of its first parameter sets:
        read the set-up, then the body in the order of its lines;
        at a call of a known function, or a requested fixture: read that one here;
        at a request of a client: note it

All reading is bounded, so it always ends soon.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.problem.examples.read_expressions import MOST_CALLS
from pytest_evosearch.problem.examples.read_expressions import Evaluator
from pytest_evosearch.problem.examples.read_statements import assign
from pytest_evosearch.problem.examples.read_statements import walk
from pytest_evosearch.problem.examples.sources import Found
from pytest_evosearch.problem.examples.sources import Function
from pytest_evosearch.problem.examples.sources import Sources
from pytest_evosearch.problem.examples.sources import definitions
from pytest_evosearch.problem.examples.sources import marked_fixtures
from pytest_evosearch.problem.examples.values import UNKNOWN
from pytest_evosearch.problem.examples.values import ExampleCall
from pytest_evosearch.problem.examples.values import ExampleTest

DEEPEST = 4
"""Deepest nesting of function calls that is read."""

MOST_SETS = 20
"""Most parameter sets of one test; each is a request that a person designed."""


def read_tests(sources: Mapping[str, str]) -> list[ExampleTest]:
    """Return the tests of `sources` (path -> text) that send requests, in the order of the text.

    Files that do not parse are skipped: pytest has already reported them.
    """
    reader = _Reader(Sources(sources))
    return [test for test in reader.tests() if test.calls]


class _Reader:
    """Reads the tests of all files."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known_constants: dict[str, dict[str, object]] = {}
        self._set_up_fixtures: dict[tuple[str, str], object] = {}
        """File and name of each fixture of the present test -> its value."""

    def tests(self) -> Iterator[ExampleTest]:
        """Yield the tests in the order of their lines, one for each parameter set."""
        for path, tree in self._sources.modules.items():
            for owner, function in definitions(tree.body):
                if not function.name.startswith("test"):
                    continue
                for values in _parameter_sets(function, self._constants(path)):
                    calls = self._calls(path, owner, function, values)
                    yield ExampleTest(f"{path}::{function.name}", tuple(calls))

    def _constants(self, path: str) -> dict[str, object]:
        """Return what the module at `path` assigns to its names."""
        known = self._known_constants.get(path)
        if known is None:
            evaluator = Evaluator({}, [], lambda _call, _evaluator: UNKNOWN)
            _assign_all(self._sources.modules[path].body, evaluator)
            known = self._known_constants[path] = evaluator.names
        return known

    def _calls(
        self,
        path: str,
        owner: ast.ClassDef | None,
        function: Function,
        values: Mapping[str, object],
    ) -> list[ExampleCall]:
        calls: list[ExampleCall] = []
        self._set_up_fixtures = {}
        evaluator = Evaluator({**self._constants(path), **values}, calls, self._inline, path)
        try:
            if owner is not None:
                self._set_up(owner, evaluator)
            self._request_fixtures(function, evaluator)
            walk(function.body, evaluator)
        except RecursionError:  # a source with extreme nesting, which no person writes
            return []
        return calls

    def _set_up(self, owner: ast.ClassDef, evaluator: Evaluator) -> None:
        """Read the attributes and the set-up of a test's class, its base classes first."""
        lineage = self._sources.lineage(owner, evaluator.path, DEEPEST)
        for one in lineage:
            held = Evaluator(self._constants(one.path), [], self._inline)
            _assign_all(one.node.body, held)
            names = {member.id for member in _assigned(one.node.body)}
            evaluator.names.update({f"self.{name}": held.names[name] for name in sorted(names)})
        for one in lineage:
            for member in one.node.body:
                if isinstance(member, ast.FunctionDef) and member.name in _SET_UPS:
                    self._enter(Found(member, one.path), {}, evaluator)

    def _request_fixtures(self, function: Function, evaluator: Evaluator) -> None:
        arguments = [argument.arg for argument in function.args.args]
        for name in dict.fromkeys((*marked_fixtures(function), *arguments)):
            if name in evaluator.names or name == "self":
                continue
            fixture = self._sources.function(name, evaluator.path)
            if fixture is None or not _is_fixture(fixture.node):
                continue
            place = (fixture.path, name)
            # once for a test, however many functions request it
            if place not in self._set_up_fixtures:
                self._set_up_fixtures[place] = self._enter(fixture, {}, evaluator)
            evaluator.names[name] = self._set_up_fixtures[place]

    def _inline(self, call: ast.Call, evaluator: Evaluator) -> object:
        """Read the function that a call names, with the call's arguments."""
        arguments = [evaluator.evaluate(value) for value in call.args]
        options = {word.arg: evaluator.evaluate(word.value) for word in call.keywords}
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = call.func.id if isinstance(call.func, ast.Name) else name
        found = self._sources.function(name, evaluator.path)
        if found is None or _is_of_base(call):
            return UNKNOWN
        names = _by_position(found.node)
        if names[:1] == ["self"]:
            names = names[1:]
        bound = dict(zip(names, arguments, strict=False))
        named = {*names, *(argument.arg for argument in found.node.args.kwonlyargs)}
        bound.update({word: value for word, value in options.items() if word in named})
        return self._enter(found, bound, evaluator)

    def _enter(
        self, found: Found[Function], bound: Mapping[str, object], caller: Evaluator
    ) -> object:
        if caller.depth >= DEEPEST or len(caller.calls) >= MOST_CALLS:
            return UNKNOWN
        function = found.node
        members = {name: value for name, value in caller.names.items() if name.startswith("self.")}
        scope = {**self._constants(found.path), **members}
        inner = Evaluator(scope, caller.calls, self._inline, found.path, caller.depth + 1)
        for name, default in _defaults(function):
            inner.names[name] = inner.evaluate(default)
        inner.names.update(bound)
        self._request_fixtures(function, inner)
        result = walk(function.body, inner)
        caller.names.update(
            {name: value for name, value in inner.names.items() if name.startswith("self.")}
        )
        return result


_SET_UPS = ("setUp", "setup_method", "setup")


def _is_of_base(call: ast.Call) -> bool:
    """Say whether a call is ``super().method()``: set-ups of base classes are always read."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    maker = receiver.func if isinstance(receiver, ast.Call) else None
    return isinstance(maker, ast.Name) and maker.id == "super"


def _assign_all(body: Sequence[ast.stmt], evaluator: Evaluator) -> None:
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            assign(node, evaluator)


def _assigned(body: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    """Yield the names that a class assigns in its body."""
    for node in body:
        if isinstance(node, ast.Assign):
            yield from (target for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target


def _is_fixture(function: Function) -> bool:
    return any("fixture" in ast.dump(decorator) for decorator in function.decorator_list)


def _by_position(function: Function) -> list[str]:
    """Return the parameters that positional arguments are bound to."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def _defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    given = function.args.defaults
    names = _by_position(function)
    yield from zip(names[len(names) - len(given) :], given, strict=True)
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default


def _parameter_sets(function: Function, names: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the values that ``parametrize`` gives to a test; without it, one empty set."""
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
    """Return the values of a ``pytest.param(...)``."""
    values = [evaluator.evaluate(argument) for argument in call.args]
    return values[0] if len(values) == 1 else values


def _row(columns: list[str], row: object) -> dict[str, object]:
    if len(columns) == 1:
        return {columns[0]: row}
    values = row if isinstance(row, list) else []
    return dict(zip(columns, values, strict=False))
