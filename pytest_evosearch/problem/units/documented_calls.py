"""Finds the calls of units in the examples of docstrings: ``>>> intcomma("1000")``.

An example is read, and never executed.  Its arguments are literals, or names that an earlier
example of the same docstring has given a literal.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from importlib import import_module
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.usual_values import described_texts

Passed = tuple[str, dict[str, object]]
"""A unit, and the arguments that are passed."""

MOST_CALLS = 6
"""Most calls of one unit that are taken over."""

MOST_BORROWED = 3
"""Most calls of a unit without an example."""

LONGEST_CALL = 200
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
                known = found.setdefault(one.calls[-1][0], {})
                if len(known) < MOST_CALLS and len(repr(one.calls)) <= LONGEST_CALL:
                    known.setdefault(repr(one.calls), one)
    return [one for known in found.values() for one in known.values()]


def is_spelled(value: object, text: str) -> bool:
    """Say whether a text of a docstring shows this value, in whatever quotation marks."""
    try:
        return same(ast.literal_eval(text), value)
    except (ValueError, TypeError, SyntaxError):
        return False


def documented_values(shown: Sequence[Documented], units: Mapping[str, Unit]) -> Values:
    """Return what such calls pass, and texts that describe parameters, by unit and parameter."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    passed = [(key, *one) for each in shown for key, values in each.calls for one in values.items()]
    described = [
        (key, one.name, text)
        for key, unit in units.items()
        for one in unit.parameters
        for text in described_texts(function_of(unit), one.name)
    ]
    for key, name, value in (*passed, *described):
        found.setdefault(key, {}).setdefault(name, {}).setdefault(repr(value), value)
    return {
        key: {name: list(known.values()) for name, known in passed.items()}
        for key, passed in found.items()
    }


def documented_tests(
    shown: Sequence[Documented], units: Mapping[str, Unit], arguments: Arguments
) -> dict[UnitTest, str]:
    """Return the tests that make these calls, with exactly their arguments -> documented results.

    A function without an example gets what examples beside it pass for parameters of its names.
    """

    def call_of(key: str, values: Mapping[str, object]) -> UnitCall:
        def gene_of(name: str, gene: Gene) -> Gene:
            passed = name in values
            return arguments.passing(units[key], name, values[name]) if passed else gene.left_out()

        call = arguments.call(units[key])
        return UnitCall(key, tuple((name, gene_of(name, gene)) for name, gene in call.arguments))

    known = {each.calls[-1][0] for each in shown}
    others = [one for one in units.values() if one.key not in known and not one.owner]
    borrowed = [Documented(passed) for unit in others for passed in _borrowed(unit, arguments)]
    return {
        UnitTest(tuple(call_of(*one) for one in each.calls)): each.result
        for each in (*shown, *borrowed)
    }


def _borrowed(unit: Unit, arguments: Arguments) -> Iterator[tuple[Passed, ...]]:
    required = [one.name for one in unit.parameters if one.is_required]
    proposed = [arguments.proposed(unit, name) for name in required]
    for passed in islice(zip(*proposed, strict=False), MOST_BORROWED):
        yield ((unit.key, dict(zip(required, passed, strict=True))),)


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

    def calls(self, text: str) -> Iterator[Documented]:
        """Yield the calls of units; what cannot be read has none."""
        try:
            examples = doctest.DocTestParser().get_examples(text)
            trees = [(ast.parse(one.source), one.want) for one in examples]
        except (ValueError, SyntaxError):
            return
        for statement, result in ((one, want) for tree, want in trees for one in tree.body):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and (passed := self._passed(node)) is not None:
                    is_shown = isinstance(statement, ast.Expr) and statement.value is node
                    is_shown = is_shown and not result.startswith("Traceback")
                    yield Documented(passed, result.strip() if is_shown else "")
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self._named[statement.targets[0].id] = statement.value

    def _passed(self, node: ast.Call) -> tuple[Passed, ...] | None:
        """Return the call of a unit, after that of its class; None for any other call."""
        owner, _dot, name = ast.unparse(node.func).rpartition(".")
        before: tuple[Passed, ...] = ()
        if isinstance(node.func, ast.Attribute):
            made = self._meant(node.func.value)
            if isinstance(made, ast.Call):
                before = self._passed(made) or ()
                owner = before[-1][0].partition(":")[2] if before else "?"
        unit = self._named_unit(name if self._is_module(owner) else f"{owner}.{name}")
        if unit is None or unit.owner != (before[-1][0] if before else ""):
            return None
        values = self._arguments(unit, node)
        return None if values is None else (*before, (unit.key, values))

    def _named_unit(self, name: str) -> Unit | None:
        """Return the unit with a name, which may be an alias: ``decode = decode_ascii``."""
        meant = getattr(import_module(self._module), name, None)
        return self._units.get(name) or self._units.get(getattr(meant, "__qualname__", ""))

    def _is_module(self, owner: str) -> bool:
        """Say whether a prefix stands for the module: none, the end of its path, or its package."""
        path = self._module
        return not owner or f".{path}".endswith(f".{owner}") or owner == path.partition(".")[0]

    def _arguments(self, unit: Unit, node: ast.Call) -> dict[str, object] | None:
        """Return the arguments of a call by their names; None where one is no literal."""
        known = {one.name for one in unit.parameters if not one.is_variadic}
        by_place = [one for one in unit.parameters if not one.is_keyword_only]
        try:
            given = [ast.literal_eval(self._meant(one)) for one in node.args]
            named = {one.arg: ast.literal_eval(self._meant(one.value)) for one in node.keywords}
        except (ValueError, TypeError, SyntaxError):
            return None
        values: dict[str, object] = {}
        for one in by_place:
            if one.is_variadic:
                values[one.name], given = given, []
            elif given:
                values[one.name] = given.pop(0)
        values.update({name: value for name, value in named.items() if name in known})
        required = {one.name for one in unit.parameters if one.is_required and not one.is_variadic}
        is_whole = not given and known.issuperset(named) and values.keys() >= required
        return values if is_whole else None

    def _meant(self, node: ast.expr) -> ast.expr:
        """Return what stands for a name, if an example has assigned it."""
        return self._named.get(node.id, node) if isinstance(node, ast.Name) else node
