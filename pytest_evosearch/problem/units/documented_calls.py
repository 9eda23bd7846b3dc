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

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Values
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

Passed = tuple[str, dict[str, object]]
"""A unit, and the arguments that are passed."""

MOST_CALLS = 6
"""Most calls of one unit that are taken over."""

MOST_BORROWED = 3
"""Most calls of a unit without an example."""

LONGEST_CALL = 200
"""Most characters of the arguments of a call; a longer one makes no readable test."""


def documented_calls(units: Mapping[str, Unit]) -> list[tuple[Passed, ...]]:
    """Return the calls in docstrings, in their order; a method follows the call of its class."""
    found: dict[str, dict[str, tuple[Passed, ...]]] = {}
    for module in dict.fromkeys(unit.module for unit in units.values()):
        inside = {unit.name: unit for unit in units.values() if unit.module == module}
        for text in dict.fromkeys(_docstrings(module, inside)):
            for calls in _Reader(module, inside).calls(text):
                known = found.setdefault(calls[-1][0], {})
                if len(known) < MOST_CALLS and len(repr(calls)) <= LONGEST_CALL:
                    known.setdefault(repr(calls), calls)
    return [calls for known in found.values() for calls in known.values()]


def documented_values(calls: Sequence[tuple[Passed, ...]]) -> Values:
    """Return what such calls pass, by unit and parameter."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for key, values in (one for each in calls for one in each):
        for name, value in values.items():
            found.setdefault(key, {}).setdefault(name, {}).setdefault(repr(value), value)
    return {
        key: {name: list(known.values()) for name, known in passed.items()}
        for key, passed in found.items()
    }


def documented_tests(
    calls: Sequence[tuple[Passed, ...]], units: Mapping[str, Unit], arguments: Arguments
) -> list[UnitTest]:
    """Return the tests that make these calls, with exactly their arguments.

    A function without an example gets what examples beside it pass for parameters of its names.
    """

    def call_of(key: str, values: Mapping[str, object]) -> UnitCall:
        def gene_of(name: str, gene: Gene) -> Gene:
            passed = name in values
            return arguments.passing(units[key], name, values[name]) if passed else gene.left_out()

        call = arguments.call(units[key])
        return UnitCall(key, tuple((name, gene_of(name, gene)) for name, gene in call.arguments))

    shown = {each[-1][0] for each in calls}
    others = [one for one in units.values() if one.key not in shown and not one.owner]
    borrowed = [passed for unit in others for passed in _borrowed(unit, arguments)]
    return [UnitTest(tuple(call_of(*one) for one in each)) for each in (*calls, *borrowed)]


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

    def calls(self, text: str) -> Iterator[tuple[Passed, ...]]:
        """Yield the calls of units; what cannot be read has none."""
        try:
            trees = [ast.parse(one.source) for one in doctest.DocTestParser().get_examples(text)]
        except (ValueError, SyntaxError):
            return
        for statement in (one for tree in trees for one in tree.body):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and (passed := self._passed(node)) is not None:
                    yield passed
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
        unit = self._units.get(name if self._is_module(owner) else f"{owner}.{name}")
        if unit is None or unit.owner != (before[-1][0] if before else ""):
            return None
        values = self._arguments(unit, node)
        return None if values is None else (*before, (unit.key, values))

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
