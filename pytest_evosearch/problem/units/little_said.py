"""Says which results say little: what goes in comes out, nothing in gives nothing, no effect."""

from __future__ import annotations

import dis
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.example import is_example
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import has_bare_object
from pytest_evosearch.problem.units.unit_code import defaults_of


def kept_argument(test: UnitTest, result: Result) -> str:
    """Return the name of the argument that a call returns as it is; empty for none."""
    value = result.value
    if result.end is not End.RETURNED or value is None or isinstance(value, bool):
        return ""
    given = test.act.values().items()
    return next((name for name, one in given if same(one, value)), "")


def shows_nothing(unit: Unit, result: Result) -> bool:
    """Say whether nothing of a call can be asserted.

    It changed nothing, and has no result, or one of which only the class can be told, or its own
    object, which looks as it did before.
    """
    if result.end is not End.RETURNED or unit.flavour is Flavour.CONTEXT:
        return False
    if result.changed or result.called or result.printed or result.files:
        return False
    value = result.value
    if value is None:
        return unit.gives_nothing
    parts = value if isinstance(value, (list, tuple)) and value else [value]
    is_closed = all(map(_is_closed, parts)) and unit.kind is not Kind.CLASS
    return result.passed == ("self",) or is_closed


def _is_closed(value: object) -> bool:
    """Say whether only the class of a value is known."""
    return isinstance(value, Unknown) or (isinstance(value, Instance) and value.is_closed)


def says_little(test: UnitTest, unit: Unit, result: Result) -> bool:
    """Say whether a function that does nothing would give the same result."""
    if result.end is not End.RETURNED or result.changed or result.called:
        return False
    if result.printed or result.files or result.alike:
        return False
    value, given = result.value, list(test.act.values().values())
    if unit.kind is Kind.METHOD and value is None:
        return True
    if unit.kind is Kind.PROPERTY and not value and not isinstance(value, bool):
        return True  # it may have more to show of another object
    if unit.kind is Kind.CLASS:
        is_member = isinstance(value, Named)  # of an enum, by its value
        return is_member or (isinstance(value, Made) and value.function.name == unit.name)
    if kept_argument(test, result):
        return True
    if has_bare_object(test) and (not value or (isinstance(value, tuple) and not any(value))):
        return True  # another object would have something to say
    is_nothing = not value and value is not None and not isinstance(value, bool)
    return is_nothing and bool(given) and not any(given)


def is_plainly_made(test: UnitTest, unit: Unit, result: Result, others: Sequence[Result]) -> bool:
    """Say whether an object only holds what was passed, defaults, and what all objects hold.

    `others` are what other calls of the class have given.
    """
    value = result.value
    if isinstance(value, Instance):
        return not computed_attributes(test, unit, value, [one.value for one in others])
    given = _given_and_defaults(test, unit)
    if isinstance(value, Made):
        told = (*value.arguments, *(one for _name, one in value.keywords))
        return all(any(same(one, each) for each in given) for one in told)
    return isinstance(value, Named) or not value or any(same(value, one) for one in given)


def reads_back(maker: UnitTest, unit: Unit, result: Result) -> bool:
    """Say whether a result is what an object was made of, a default, or empty."""
    value = result.value
    if result.end is not End.RETURNED or isinstance(value, bool):
        return False
    return not value or any(same(value, one) for one in _given_and_defaults(maker, unit))


def computed_attributes(
    test: UnitTest, unit: Unit, value: Instance, others: Sequence[object]
) -> list[str]:
    """Return the attributes of a made object that hold neither an argument nor what all hold.

    The name of its elements is empty.
    """
    given = _given_and_defaults(test, unit)
    held = [_held(one) for one in others if isinstance(one, Instance)]

    def is_constant(name: str, one: object) -> bool:
        return all(repr(each.get(name)) == repr(one) for each in held) if held else not one

    return [
        name
        for name, one in _held(value).items()
        if not any(same(one, each) for each in given) and not is_constant(name, one)
    ]


def _held(value: Instance) -> dict[str, object]:
    elements = {} if value.elements is None else {"": list(value.elements)}
    return {**dict(value.attributes), **elements}


def _given_and_defaults(test: UnitTest, unit: Unit) -> list[object]:
    passed = test.act.values().values()
    inside = (part for one in passed if isinstance(one, list) for part in one)
    return [*passed, *inside, *defaults_of(unit)]


def answers_nonsense(test: UnitTest, unit: Unit, result: Result) -> bool:
    """Say whether nothing is answered to an invented text, where the code refuses by a ``raise``.

    It may have forgotten to refuse this one.
    """
    if result.end is not End.RETURNED or result.value is not None or unit.owner:
        return False
    given = (gene for _name, gene in test.act.arguments if isinstance(gene.value(), str))
    is_invented = any(not is_example(gene) for gene in given)
    code = getattr(function_of(unit), "__code__", None)
    instructions = dis.get_instructions(code) if code is not None else ()
    raising = (one.opname == "RAISE_VARARGS" for one in instructions)
    return is_invented and any(raising)


def without_echo(test: UnitTest, result: Result) -> Result:
    """Return a result whose refusal does not repeat the arguments: these say nothing of it."""
    value, given = result.value, test.act.values()
    if not isinstance(value, Instance) or not value.is_refusal:
        return result
    kept = tuple(
        (name, one)
        for name, one in value.attributes
        if name not in given or not same(given[name], one)
    )
    return replace(result, value=replace(value, attributes=kept))
