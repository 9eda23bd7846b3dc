"""Finds the calls of units in the examples of docstrings: ``>>> intcomma("1000")``.

An example is read, and never executed.  Its arguments are literals, objects of the module's and of
standard classes, or names that an earlier example of the same docstring has given one.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from importlib import import_module
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.code_uses import uses_of
from pytest_evosearch.problem.units.hinted_genes import STANDARD
from pytest_evosearch.problem.units.hinted_genes import hints_of
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.operators import OPERATORS
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import arranged
from pytest_evosearch.problem.units.usual_values import described_texts

Passed = tuple[str, dict[str, object]]
"""A unit, and the arguments that are passed."""

MOST_CALLS = 6
"""Most calls of one unit that are taken over."""

MOST_BORROWED = 3
"""Most calls of a unit without an example."""

LONGEST_CALL = 300
"""Most characters of the arguments of a call; a longer one makes no readable test."""


@dataclass(frozen=True)
class Documented:
    """One call in an example; that of a method follows the call of its class."""

    calls: tuple[Passed, ...]
    result: str = ""
    """What the docstring shows as the result; empty where it shows something else, or nothing."""


def documented_calls(units: Mapping[str, Unit]) -> list[Documented]:
    """Return the calls in docstrings, in their order."""
    found: dict[str, dict[str, Documented]] = {}
    for module in dict.fromkeys(unit.module for unit in units.values()):
        inside = {unit.name: unit for unit in units.values() if unit.module == module}
        for text in dict.fromkeys(_docstrings(module, inside)):
            for one in _Reader(module, inside).calls(text):
                if len(repr(_spelled(one.calls))) <= LONGEST_CALL:
                    known = found.setdefault(one.calls[-1][0], {})
                    known.setdefault(repr(one.calls), one)
    by_unit = (sorted(known.values(), key=_says_nothing) for known in found.values())
    return [one for known in by_unit for one in known[:MOST_CALLS]]


def _spelled(value: object) -> object:
    """Return a value with recipes about as long as their code."""
    if isinstance(value, Made):
        return value.function.name, *map(_spelled, value.arguments), _spelled(value.keywords)
    if isinstance(value, (list, tuple, set)):
        return [*map(_spelled, value)]
    return {key: _spelled(one) for key, one in value.items()} if type(value) is dict else value


def _says_nothing(one: Documented) -> bool:
    """Say whether a docstring shows no result, or one such as None, False, 0, or an empty text."""
    try:
        return not ast.literal_eval(one.result or "None")
    except (ValueError, TypeError, SyntaxError):
        return False


def is_spelled(value: object, text: str) -> bool:
    """Say whether a text of a docstring shows this value, in whatever quotation marks."""
    try:
        return same(ast.literal_eval(text), value)
    except (ValueError, TypeError, SyntaxError):
        return False


def documented_values(shown: Sequence[Documented], units: Mapping[str, Unit]) -> Values:
    """Return what such calls pass, texts that describe parameters, and members of enums.

    With these the code compares a parameter without a hint.
    """
    found: dict[str, dict[str, dict[str, object]]] = {}
    passed = [(key, *one) for each in shown for key, values in each.calls for one in values.items()]
    described = [
        (key, one.name, text)
        for key, unit in units.items()
        for one in unit.parameters
        for text in described_texts(function_of(unit), one.name)
    ]
    compared = [
        (key, one.name, member)
        for key, unit in units.items()
        for uses in (uses_of(function_of(unit)),)
        for names in ({**uses.words, **uses.members},)
        for one in unit.parameters
        if one.name in names and one.name not in hints_of(function_of(unit))
        for member in names[one.name]
    ]
    for key, name, value in (*passed, *described, *compared):
        found.setdefault(key, {}).setdefault(name, {}).setdefault(repr(value), value)
    return {
        key: {name: list(known.values()) for name, known in passed.items()}
        for key, passed in found.items()
    }


def documented_tests(
    shown: Sequence[Documented], units: Mapping[str, Unit], arguments: Arguments
) -> dict[UnitTest, str]:
    """Return the tests that make these calls, with exactly their arguments -> documented results.

    A unit without an example gets what examples beside it pass for parameters of its names; a
    method, or a property, on the objects on which these are called.
    """

    def call_of(key: str, values: Mapping[str, object]) -> UnitCall:
        def gene_of(name: str, gene: Gene) -> Gene:
            passed = name in values
            return arguments.passing(units[key], name, values[name]) if passed else gene.left_out()

        call = arguments.call(units[key])
        return UnitCall(key, tuple((name, gene_of(name, gene)) for name, gene in call.arguments))

    known = {each.calls[-1][0] for each in shown}
    others = [one for one in units.values() if one.key not in known]
    borrowed = [
        Documented(passed)
        for unit in others
        for passed in (_on_shown(unit, shown) if unit.owner else _borrowed(unit, arguments))
    ]
    return {
        UnitTest(tuple(call_of(*one) for one in each.calls)): each.result
        for each in (*shown, *borrowed)
    }


def _borrowed(unit: Unit, arguments: Arguments) -> Iterator[tuple[Passed, ...]]:
    required = [one.name for one in unit.parameters if one.is_required]
    proposed = [arguments.proposed(unit, name) for name in required]
    for passed in islice(zip(*proposed, strict=False), MOST_BORROWED):
        yield ((unit.key, dict(zip(required, passed, strict=True))),)


def _on_shown(unit: Unit, shown: Sequence[Documented]) -> list[tuple[Passed, ...]]:
    """Return calls of a unit on shown objects, with what is passed to methods of these."""
    required = [one.name for one in unit.parameters if one.is_required]
    found: dict[str, tuple[Passed, ...]] = {}
    for calls in (one.calls for one in shown if one.calls[0][0] == unit.owner):
        passed = calls[-1][1] if len(calls) > 1 else {}
        if all(name in passed for name in required):
            borrowed = (calls[0], (unit.key, {name: passed[name] for name in required}))
            found.setdefault(repr(borrowed), borrowed)
    return list(found.values())[:MOST_BORROWED]


def _docstrings(module: str, units: Mapping[str, Unit]) -> Iterator[str]:
    documented = [import_module(module), *(resolved(Named(module, name)) for name in units)]
    for one in documented:
        text = getattr(one, "__doc__", None)
        if isinstance(text, str) and ">>>" in text:
            yield text


class _Reader:
    """Reads the examples of one docstring."""

    def __init__(self, module: str, units: Mapping[str, Unit]) -> None:
        self._module = module
        self._units = units
        self._named: dict[str, ast.expr] = {}
        """Name -> what an example has assigned to it."""
        self._imported: dict[str, str] = {}
        """Name -> the path of what an example has imported under it."""

    def calls(self, text: str) -> Iterator[Documented]:
        """Yield the calls of units; what cannot be read has none."""
        try:
            examples = doctest.DocTestParser().get_examples(text)
            trees = [(ast.parse(one.source), one.want) for one in examples]
        except (ValueError, SyntaxError):
            return
        for statement, result in ((one, want) for tree, want in trees for one in tree.body):
            for node in ast.walk(statement):
                if (passed := self._passed(node)) is not None:
                    is_shown = isinstance(statement, ast.Expr) and statement.value is node
                    is_shown = is_shown and not result.startswith("Traceback")
                    yield Documented(passed, result.strip() if is_shown else "")
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self._named[statement.targets[0].id] = statement.value
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                home = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
                for one in statement.names:
                    self._imported[one.asname or one.name] = f"{home}{one.name}"

    def _passed(self, node: ast.AST) -> tuple[Passed, ...] | None:
        """Return the use of a unit, after the call of its class; None for anything else."""
        for special, thing, others in _operations(node):
            if (found := self._of_object(thing, special, others, ())) is not None:
                return found
        if isinstance(node, ast.Attribute):
            found = self._of_object(node.value, node.attr, (), ())
            is_property = found is not None and self._units_of(found).kind is Kind.PROPERTY
            return found if is_property else None
        return self._called(node) if isinstance(node, ast.Call) else None

    def _called(self, node: ast.Call) -> tuple[Passed, ...] | None:
        if isinstance(node.func, ast.Attribute):
            thing, name = node.func.value, node.func.attr
            found = self._of_object(thing, name, node.args, node.keywords)
            if found is not None or isinstance(self._meant(thing), ast.Call):
                return found
        path = ast.unparse(node.func)
        owner, _dot, name = path.rpartition(".")
        unit = self._named_unit(path) or (
            self._named_unit(name) if self._is_module(owner) else None
        )
        if unit is None or unit.owner:
            return None
        values = self._arguments(unit, node.args, node.keywords)
        return None if values is None else ((unit.key, values),)

    def _of_object(
        self, thing: ast.expr, name: str, given: Sequence[ast.expr], named: Sequence[ast.keyword]
    ) -> tuple[Passed, ...] | None:
        """Return the use of a member of an object that an example makes."""
        made = self._meant(thing)
        before = self._called(made) if isinstance(made, ast.Call) else None
        unit = self._units.get(f"{before[-1][0].partition(':')[2]}.{name}") if before else None
        if before is None or unit is None or unit.owner != before[-1][0]:
            return None
        values = self._arguments(unit, given, named)
        return None if values is None else (*before, (unit.key, values))

    def _units_of(self, passed: tuple[Passed, ...]) -> Unit:
        return self._units[passed[-1][0].partition(":")[2]]

    def _named_unit(self, name: str) -> Unit | None:
        """Return the unit with a name, which may be an alias: ``decode = decode_ascii``."""
        meant = getattr(import_module(self._module), name, None)
        return self._units.get(name) or self._units.get(getattr(meant, "__qualname__", ""))

    def _is_module(self, owner: str) -> bool:
        """Say whether a prefix stands for the module: none, the end of its path, or its package."""
        path = self._module
        return not owner or f".{path}".endswith(f".{owner}") or owner == path.partition(".")[0]

    def _arguments(
        self, unit: Unit, positional: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> dict[str, object] | None:
        """Return the arguments of a call by their names; None where one is not understood."""
        known = {one.name for one in unit.parameters if not one.is_variadic}
        by_place = [one for one in unit.parameters if not one.is_keyword_only]
        try:
            given = [self._value(one) for one in positional]
            named = {one.arg: self._value(one.value) for one in keywords}
        except (ValueError, TypeError, SyntaxError):
            return None
        values: dict[str, object] = {}
        for one in by_place:
            if one.is_variadic:
                values[one.name], given = given, []
            elif given:
                values[one.name] = given.pop(0)
        values.update({name: value for name, value in named.items() if name in known})
        needed = (one for one in unit.parameters if not (one.is_variadic or one.is_variable))
        required = {one.name for one in needed if one.is_required}
        is_whole = not given and known.issuperset(named) and values.keys() >= required
        return values if is_whole else None

    def _value(self, node: ast.expr) -> object:
        """Return a literal, or the recipe of an object of a class; raise where it is neither."""
        meant = self._meant(node)
        if isinstance(meant, (ast.List, ast.Tuple, ast.Set)):
            return _CONTAINERS[type(meant)](map(self._value, meant.elts))
        if not isinstance(meant, ast.Call):
            return ast.literal_eval(meant)
        made = self._called(meant)
        if made is not None and self._units_of(made).kind is Kind.CLASS:
            unit = self._units_of(made)
            given, named = arranged(unit, made[-1][1])
            return Made(Named(unit.module, unit.name), tuple(given), tuple(named.items()))
        standard = self._standard(meant.func)
        if standard is None or made is not None:
            return ast.literal_eval(meant)
        keywords = tuple((str(one.arg), self._value(one.value)) for one in meant.keywords)
        return Made(standard, tuple(map(self._value, meant.args)), keywords)

    def _standard(self, node: ast.expr) -> Named | None:
        """Return the standard class of values that an example or the module has imported."""
        path = ast.unparse(node)
        first, dot, inside = path.partition(".")
        if first in self._imported:
            return STANDARD.get(f"{self._imported[first]}{dot}{inside}")
        meant = getattr(import_module(self._module), path, None)
        return STANDARD.get(
            f"{meant.__module__}.{meant.__qualname__}" if isinstance(meant, type) else path
        )

    def _meant(self, node: ast.expr) -> ast.expr:
        """Return what stands for a name, if an example has assigned it."""
        return self._named.get(node.id, node) if isinstance(node, ast.Name) else node


def _operations(node: ast.AST) -> Iterator[tuple[str, ast.expr, tuple[ast.expr, ...]]]:
    """Yield the special methods that an expression may call, the object, and its operands."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        parts = [node.left, node.comparators[0]]
        sign = ast.unparse(ast.Compare(_FIRST, node.ops, [_SECOND]))
    elif isinstance(node, ast.BinOp):
        parts, sign = [node.left, node.right], ast.unparse(ast.BinOp(_FIRST, node.op, _SECOND))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        parts, sign = node.args, f"{node.func.id}(a)"
    else:
        return
    for special, operator in OPERATORS.items():
        if operator.arguments == len(parts) - 1:
            for order in (parts, parts[::-1]):
                names = ("a", "b") if order is parts else ("b", "a")
                if operator.code.format(*names[: len(parts)] if len(parts) > 1 else "a") == sign:
                    yield special, order[0], tuple(order[1:])


_CONTAINERS: Mapping[type, Callable[[Iterator[object]], object]] = {
    ast.List: list,
    ast.Tuple: tuple,
    ast.Set: set,
}

_FIRST, _SECOND = ast.Name("a"), ast.Name("b")
