"""A unit of plain code, and a test of it: calls with arguments."""

from __future__ import annotations

from collections.abc import Container
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from itertools import combinations
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.example import is_example
from pytest_evosearch.problem.units.operators import OPERATORS
from pytest_evosearch.problem.units.operators import Operator

MOST_FEW_OPTIONS = 2
"""Most options of a test that has few."""


BARE = 300
"""Characters that count for an object that is made of nothing."""


class Kind(Enum):
    """How a unit is called."""

    FUNCTION = "function"
    CLASS = "class"
    METHOD = "method"
    PROPERTY = "property"


class Flavour(Enum):
    """What a call of a unit gives."""

    PLAIN = "plain"
    GENERATOR = "generator"
    COROUTINE = "coroutine"
    ASYNC_GENERATOR = "async generator"
    CONTEXT = "context manager"
    ASYNC_CONTEXT = "async context manager"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a unit."""

    name: str
    is_required: bool
    is_keyword_only: bool = False
    is_variadic: bool = False
    """Whether it stands for any number of positional arguments."""
    is_variable: bool = False
    """Whether it is no argument, but what the code reads: an environment variable, or the clock."""


@dataclass(frozen=True)
class Unit:
    """One unit; functions include static methods and class methods, by their qualified names."""

    module: str
    name: str
    """The qualified name in its module: ``Cart.add``."""
    kind: Kind = Kind.FUNCTION
    flavour: Flavour = Flavour.PLAIN
    parameters: tuple[Parameter, ...] = ()
    refusals: frozenset[str] = frozenset()
    """Names of exceptions that its docstring announces."""
    gives_nothing: bool = False
    """Whether its code never returns a value."""
    code_in: str = ""
    """The module with its code, where the project says that it belongs to another one."""
    made_by: tuple[str, ...] = ()
    """Keys of the functions that give its objects, for a private class."""

    @property
    def key(self) -> str:
        """Return the name by which the search knows it: ``shop.cart:Cart.add``."""
        return f"{self.module}:{self.name}"

    @property
    def source(self) -> str:
        """Return the module with its code."""
        return self.code_in or self.module

    @property
    def enters_object(self) -> bool:
        """Say whether it is the ``with`` statement of an object."""
        return self.name.endswith((".__enter__", ".__aenter__"))

    @property
    def operator(self) -> Operator | None:
        """Return how Python calls it; None for a unit that is called by its name."""
        return OPERATORS.get(self.name.rpartition(".")[2]) if self.kind is Kind.METHOD else None

    @property
    def owner(self) -> str:
        """Return the key of the class whose object it needs; empty without one."""
        if self.kind not in (Kind.METHOD, Kind.PROPERTY):
            return ""
        return f"{self.module}:{self.name.rpartition('.')[0]}"

    def is_tested_among(self, units: Container[str]) -> bool:
        """Say whether tests call it: a method needs its class, and a private one is not called."""
        return not self.made_by and (not self.owner or self.owner in units)


@dataclass(frozen=True)
class UnitCall:
    """One call of a unit."""

    unit: str
    arguments: tuple[tuple[str, Gene], ...] = ()

    def values(self) -> dict[str, object]:
        """Return the arguments that are passed, as recipes."""
        values = {name: gene.value() for name, gene in self.arguments}
        return {name: value for name, value in values.items() if value is not ABSENT}


@dataclass(frozen=True)
class UnitTest:
    """Calls in order; the last one is tested.

    A method follows the call of its class, on whose object it is called.
    """

    calls: tuple[UnitCall, ...]

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def act(self) -> UnitCall:
        """Return the call that is tested."""
        return self.calls[-1]

    # The vocabulary of `minimize.reducible`.

    def genes(self) -> Iterator[tuple[tuple[int, int], Gene]]:
        """Yield the gene of each argument with its place, those of the tested call first."""
        for at in reversed(range(len(self.calls))):
            for number, (_name, gene) in enumerate(self.calls[at].arguments):
                yield (at, number), gene

    def with_gene(self, place: tuple[int, int], gene: Gene) -> UnitTest:
        """Return a copy with another gene at a place."""
        at, number = place
        call = self.calls[at]
        name = call.arguments[number][0]
        arguments = (*call.arguments[:number], (name, gene), *call.arguments[number + 1 :])
        return self.with_call(at, replace(call, arguments=arguments))

    def with_call(self, at: int, call: UnitCall) -> UnitTest:
        """Return a copy with another call at an index."""
        return UnitTest((*self.calls[:at], call, *self.calls[at + 1 :]))

    def shorter(self) -> Iterator[UnitTest]:
        """Yield copies without one of the calls between the first and the last."""
        for at in range(1, len(self.calls) - 1):
            yield UnitTest(self.calls[:at] + self.calls[at + 1 :])

    def bare(self) -> UnitTest:
        """Return a copy without optional arguments."""
        calls = (
            replace(call, arguments=tuple((name, gene.left_out()) for name, gene in call.arguments))
            for call in self.calls
        )
        return UnitTest(tuple(calls))

    def sent(self) -> tuple[tuple[str, dict[str, object]], ...]:
        """Return what an executor needs: keys of units, and recipes of arguments."""
        return tuple((call.unit, call.values()) for call in self.calls)


def beginnings(test: UnitTest) -> Iterator[UnitTest]:
    """Yield the tests of the calls on an object that are made before the last one."""
    for end in range(2, len(test)):
        yield UnitTest(test.calls[:end])


def options(test: UnitTest) -> Iterator[tuple[tuple[int, int], Gene]]:
    """Yield the genes of the optional arguments that are passed, with their places."""
    for place, gene in test.genes():
        if gene.value() is not ABSENT and gene.left_out().value() is ABSENT:
            yield place, gene


def with_few_options(test: UnitTest) -> Iterator[UnitTest]:
    """Yield copies without any option, with one of them, and with two."""
    passed, bare = list(options(test)), test.bare()
    for number in range(min(MOST_FEW_OPTIONS + 1, len(passed))):
        for chosen in combinations(passed, number):
            few = bare
            for place, gene in chosen:
                few = few.with_gene(place, gene)
            yield few


def size_of(test: UnitTest) -> tuple[int, int]:
    """Return the number of calls, and the length of their arguments as text.

    Examples have no length, so that one is preferred to an invented value.  An object that is made
    of nothing, though it takes something, counts as long: most methods say little of it.
    """
    first = test.calls[0]
    is_bare = len(test) > 1 and bool(first.arguments) and not any(first.values().values())
    return len(test), sum(map(_length, test.calls)) + BARE * is_bare


def has_bare_object(test: UnitTest) -> bool:
    """Say whether a method is called on an object that is made of nothing, though it could be."""
    first = test.calls[0]
    passed = any(one != [] for one in first.values().values())
    return len(test) > 1 and bool(first.arguments) and not passed


def _length(call: UnitCall) -> int:
    examples = {name for name, gene in call.arguments if is_example(gene)}
    passed = call.values()
    invented = {name: value for name, value in passed.items() if name not in examples}
    return len(repr(invented)) + len(passed) - len(invented)


def by_key(units: Sequence[Unit]) -> dict[str, Unit]:
    """Return units by their keys."""
    return {unit.key: unit for unit in units}


def maker_of(key: str, units: Mapping[str, Unit]) -> Unit | None:
    """Return the unit that gives objects of a class: its own, or a function; None for no class."""
    kind = units.get(key)
    return units[kind.made_by[0]] if kind is not None and kind.made_by else kind


def variables_of(unit: Unit, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the environment variables that are set for a call, and what else it reads."""
    names = {one.name for one in unit.parameters if one.is_variable}
    return {name: value for name, value in values.items() if name in names}


def arranged(unit: Unit, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and keyword arguments: what is required by position, all else by name.

    The first one is passed by position in any case: ``Version("1.2.3")``.
    """
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for place, one in enumerate(unit.parameters):
        if one.name not in values or one.is_variable:
            continue
        if one.is_variadic:
            positional += values[one.name]
        elif one.is_keyword_only or (place and not one.is_required):
            keywords[one.name] = values[one.name]
        else:
            positional.append(values[one.name])
    return positional, keywords


def made_of(unit: Unit, arguments: Sequence[tuple[str, Gene]]) -> MadeGene:
    """Return the gene of the object that a class or a class method gives."""
    kinds = {one.name: one.name for one in unit.parameters[1:] if not one.is_required}
    kinds |= {one.name: one.name for one in unit.parameters if one.is_keyword_only}
    kinds |= {one.name: "*" for one in unit.parameters if one.is_variadic}
    read = {one.name for one in unit.parameters if one.is_variable}
    parts = tuple((kinds.get(name, ""), gene) for name, gene in arguments if name not in read)
    return MadeGene(parts, Named(unit.module, unit.name))


def home_of(unit: Unit) -> str:
    """Return the class of a unit, or the module of a function."""
    return unit.owner or (unit.key if unit.kind is Kind.CLASS else unit.module)


def takes_any_number(unit: Unit) -> bool:
    """Say whether a class takes nothing but any number of arguments: mostly it gets none."""
    return bool(unit.parameters) and all(one.is_variadic for one in unit.parameters)
