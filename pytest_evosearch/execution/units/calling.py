"""Calls units, in a process that may be lost, and tells how the calls ended."""

from __future__ import annotations

import asyncio
import importlib
import io
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from opcode import opmap
from types import TracebackType
from typing import Any

from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.exception_texts import module_of
from pytest_evosearch.core.exception_texts import qualified_name_of
from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import CutOff
from pytest_evosearch.execution.units.described import described
from pytest_evosearch.execution.units.described import described_result
from pytest_evosearch.execution.units.looks import alike_of
from pytest_evosearch.execution.units.looks import changes
from pytest_evosearch.execution.units.looks import is_mutable
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.fixed_reads import fixed
from pytest_evosearch.problem.units.fixed_reads import is_read
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import is_known
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import arranged
from pytest_evosearch.problem.units.unit import variables_of

MOST_TAKEN = 50
"""Most elements that are taken from a generator: many never end."""

FEW_TAKEN = 5
"""Elements of a generator without end that a test looks at."""

LONGEST_PRINTED = 500
"""Most characters of printed output that are kept."""

_RAISE = opmap["RAISE_VARARGS"]

SourceName = Callable[[str], "str | None"]
"""Returns the path of a file in targets; None for a file that is not searched."""


def built_arguments(recipes: Mapping[str, object]) -> dict[str, object]:
    """Return real arguments; what is put in the place of the clock stays a recipe."""
    return {name: one if is_read(name) else built(one) for name, one in recipes.items()}


class _Callback:
    """A function that returns one value, and remembers its calls."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        self.calls: list[tuple[tuple[object, ...], dict[str, object]]] = []
        self.results: list[object] = []

    def made(self) -> Callable[..., object]:
        """Return what is passed instead of the function: a function, too."""

        def callback(*arguments: object, **keywords: object) -> object:
            self.calls.append((arguments, keywords))
            self.results.append(self.function(*arguments, **keywords))
            return self.results[-1]

        return callback


def _recorded(values: dict[str, object], recipes: Mapping[str, object]) -> dict[str, _Callback]:
    """Put functions that remember their calls in the place of those that return one value."""
    found = {}
    for name, recipe in recipes.items():
        function: Any = values[name]
        if isinstance(recipe, Returning) and not is_read(name):
            found[name] = _Callback(function)
            values[name] = found[name].made()
    return found


def _calls_of(
    callbacks: Mapping[str, _Callback], value: object
) -> Iterator[tuple[str, tuple[object, ...], tuple[tuple[str, object], ...]]]:
    """Yield the only call of each function whose result is what the unit gives, if it is told."""
    for name, one in callbacks.items():
        is_passed_on = value is None or any(value is each for each in one.results)
        if len(one.calls) == 1 and is_passed_on:
            arguments, keywords = one.calls[0]
            told = tuple(map(described, arguments))
            named = tuple((key, described(each)) for key, each in keywords.items())
            if all(map(is_known, (*told, *dict(named).values()))):
                yield name, told, named


class Calls:
    """The calls of one test; methods are called on what its first call gives."""

    def __init__(self, units: Mapping[str, Unit], source_name: SourceName, tells: bool) -> None:
        self._units = units
        self._packages = {one.module.partition(".")[0] for one in units.values()}
        self._source_name = source_name
        self._tells = tells
        """Whether results are described; a search only asks how calls end."""
        self._object: Any = None
        self._inside: object = None
        """The description of what a context manager gave, before it was left."""
        self._is_listed = False

    def perform(self, sent: Sequence[tuple[str, Mapping[str, object]]]) -> list[Result]:
        """Call units in turn, up to the first call that does not return."""
        results: list[Result] = []
        for key, recipes in sent:
            is_maker = not results and len(sent) > 1
            result = self._one(self._units[key], recipes, is_maker)
            results.append(result)
            if result.end is not End.RETURNED:
                break
        return results

    def _one(self, unit: Unit, recipes: Mapping[str, object], is_maker: bool) -> Result:
        try:
            values = built_arguments(recipes)
        except Exception:
            return Result(End.UNMADE)
        before = self._told(values) if self._tells else {}
        callbacks = _recorded(values, recipes) if self._tells else {}
        ended, value, printed = self._ended(unit, values, is_maker)
        if ended is not None:
            return ended
        taken = 0
        if (self._is_listed or unit.flavour is Flavour.ASYNC_GENERATOR) and (
            len(value) >= MOST_TAKEN
        ):
            if unit.flavour is Flavour.ASYNC_GENERATOR:
                return Result(End.CUT_OFF)  # no expression takes a few of its elements
            value, taken = value[:FEW_TAKEN], FEW_TAKEN
        if not self._tells:
            return Result(End.RETURNED, outline=_outline(value, values, recipes))
        after = self._told(values)
        changed = tuple(changes(before, after))
        told = self._inside if unit.flavour is Flavour.CONTEXT else described_result(value)
        passed = self._passed(unit, value, values, isinstance(told, _COMPARED) and not changed)
        called = tuple(_calls_of(callbacks, value))
        given = {**values, "self": self._object}
        is_looked_at = not self._is_listed and is_mutable(value)
        alike = alike_of(unit, value, told, given, after) if is_looked_at else None
        ending = End.RETURNED, told, None, changed, printed, passed, called, alike
        return Result(*ending, self._is_listed, taken, _outline(value, values, recipes))

    def _ended(
        self, unit: Unit, values: Mapping[str, Any], is_maker: bool
    ) -> tuple[Result | None, Any, str]:
        """Call a unit; return how it ended without a value, or its value and what it printed."""
        self._is_listed = False
        out, sys.stdout = sys.stdout, io.StringIO()
        try:
            try:
                value = self.called(unit, values)
            except CutOff:
                return Result(End.CUT_OFF), None, ""
            except BaseException as error:
                raised = self._raised(error)
                return Result(End.RAISED, raised=raised, is_listed=self._is_listed), None, ""
            if unit.operator is not None and unit.operator.is_statement:
                self.remember(self._object if value is None else value)
                value = None
            elif is_maker:
                self.remember(value)
            return None, value, sys.stdout.getvalue()[:LONGEST_PRINTED]
        except CutOff:
            return Result(End.CUT_OFF), None, ""
        finally:
            sys.stdout = out

    def _passed(
        self, unit: Unit, value: object, values: Mapping[str, Any], is_compared: bool
    ) -> tuple[str, ...]:
        """Return which arguments, or whether the object itself, a unit gives back."""
        if unit.kind is Kind.METHOD and value is self._object:
            return ("self",)
        if is_compared:
            return ()  # what it holds says more than which it is
        return tuple(name for name, one in values.items() if one is value and is_mutable(one))

    def remember(self, value: object) -> None:
        """Call the following methods on this object."""
        self._object = value

    def _told(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the description of each argument that a call can change, and of the object."""
        given = {name: one for name, one in values.items() if not is_read(name)}
        told = {name: described(one) for name, one in given.items() if is_mutable(one)}
        if self._object is not None:
            told["self"] = described_result(self._object)
        return told

    def called(self, unit: Unit, values: Mapping[str, Any]) -> Any:
        """Call a unit, and return its value or what is behind it."""
        function = self._function(unit)
        positional, keywords = arranged(unit, values)
        variables = variables_of(unit, values)
        reads = {name: variables.pop(name) for name in [*variables] if is_read(name)}
        with _environment(variables), fixed(reads):
            value = function(*positional, **keywords)
            return value if unit.kind is Kind.PROPERTY else self._taken(unit, value)

    def _taken(self, unit: Unit, value: Any) -> Any:
        """Return what is behind the value of a call: elements, or what a coroutine gives."""
        if unit.flavour is Flavour.CONTEXT:
            return self._entered(value)
        if unit.flavour in (Flavour.PLAIN, Flavour.GENERATOR):
            if unit.kind is Kind.CLASS or not _is_iterator(value):
                return value
            self._is_listed = True
            return list(islice(value, MOST_TAKEN))
        return _COLLECTED[unit.flavour](value)

    def _entered(self, manager: Any) -> Any:
        with manager as value:
            self._inside = described(value) if self._tells else None
            return value

    def _function(self, unit: Unit) -> Callable[..., Any]:
        if unit.owner:
            name, thing = unit.name.rpartition(".")[2], self._object
            if unit.enters_object:
                return lambda: thing
            if unit.kind is Kind.PROPERTY:
                return lambda: getattr(thing, name)
            if unit.operator is not None:
                return partial(unit.operator.call, thing)
            return getattr(thing, name)  # type: ignore[no-any-return]
        found: Any = importlib.import_module(unit.module)
        for part in unit.name.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]

    def _raised(self, error: BaseException) -> Raised:
        kind = type(error)
        path, line, is_own = self._place(error.__traceback__, is_exit=kind is SystemExit)
        return Raised(
            Named(module_of(kind), qualified_name_of(kind)),
            message_of(error),
            tuple(one.__name__ for one in kind.__mro__),
            path,
            line,
            is_own,
        )

    def _place(self, entry: TracebackType | None, is_exit: bool) -> tuple[str, int, bool]:
        """Return the innermost line of searched code, and whether its package raised on purpose.

        That is by a ``raise``, or by `sys.exit`, which is no code of Python.
        """
        path, line, is_own = "", 0, False
        while entry is not None:
            code = entry.tb_frame.f_code
            found = self._source_name(code.co_filename)
            if found is not None:
                path, line = found, entry.tb_lineno
            is_statement = entry.tb_lasti >= 0 and code.co_code[entry.tb_lasti] == _RAISE
            is_raised = is_exit or is_statement
            is_own = is_raised and (found is not None or self._is_of_package(entry))
            entry = entry.tb_next
        return path, line, is_own

    def _is_of_package(self, entry: TracebackType) -> bool:
        """Say whether a frame runs other code of a package with units."""
        name = str(entry.tb_frame.f_globals.get("__name__", ""))
        return name.partition(".")[0] in self._packages


@contextmanager
def _environment(variables: Mapping[str, Any]) -> Iterator[None]:
    """Set environment variables of this process, not those of processes that it starts."""
    known: Any = os.environ
    before = dict(known._data)  # `os.environ[...] = ` would change the process, which is told
    for name, value in variables.items():
        known._data[known.encodekey(name)] = known.encodevalue(value)
    try:
        yield
    finally:
        if variables:
            known._data.clear()
            known._data.update(before)


def _outline(value: object, given: Mapping[str, Any], recipes: Mapping[str, object]) -> str:
    """Return what a search distinguishes: nothing, truth, emptiness, a sign, an argument itself."""
    functions = (one for one in recipes.values() if isinstance(one, Returning))
    if any(type(one.result) is type(value) and one.result == value for one in functions):
        return "what a function gave"
    if value is None or isinstance(value, bool):
        return str(value)
    if type(value) in (int, float):
        return "zero" if value == 0 else "negative" if value < 0 else "positive"  # type: ignore[operator]
    if type(value) in (str, bytes) and value:
        is_given = any(type(one) is type(value) and one == value for one in given.values())
        return "what was given" if is_given else "some"
    if type(value) in (str, bytes, list, tuple, dict, set, frozenset):
        return "some" if value else "empty"
    return "something"


async def _all_of(values: Any) -> list[Any]:
    found = []
    async for one in values:
        found.append(one)
        if len(found) >= MOST_TAKEN:
            break
    return found


async def _entered_value(manager: Any) -> Any:
    async with manager as value:
        return value


_COMPARED = (list, dict, set)
"""Types of results of which a test asserts what they hold."""

_MODULES_OF_ITERATORS = frozenset({"builtins", "itertools"})

_COLLECTIONS = frozenset(
    (str, bytes, bytearray, memoryview, list, tuple, dict, set, frozenset, range)
)
"""Iterable types of Python's own modules that tests compare as they are."""


def _is_iterator(value: object) -> bool:
    """Say whether only a loop shows what a value holds: a generator, a ``map``, keys."""
    kind = type(value)
    is_of_python = kind.__module__ in _MODULES_OF_ITERATORS and kind not in _COLLECTIONS
    return is_of_python and hasattr(kind, "__iter__")


_COLLECTED: Mapping[Flavour, Callable[[Any], Any]] = {
    Flavour.COROUTINE: asyncio.run,
    Flavour.ASYNC_GENERATOR: lambda value: asyncio.run(_all_of(value)),
    Flavour.ASYNC_CONTEXT: lambda value: asyncio.run(_entered_value(value)),
}
"""How the value behind an asynchronous generator, a coroutine or a context manager is taken."""
