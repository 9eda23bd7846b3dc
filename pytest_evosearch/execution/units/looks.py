"""How objects look before and after a call: what it changed, and what its value looks like."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from itertools import islice
from typing import Any

from pytest_evosearch.execution.units.described import class_of
from pytest_evosearch.problem.units.results import Alike
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import is_known
from pytest_evosearch.problem.units.results import parts_of
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit

_GIVING = (Flavour.PLAIN, Flavour.COROUTINE)
"""Flavours of units that give the value itself."""


def changes(
    before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield what a test can assert of the arguments that look different after a call, by name."""
    for name, now in after.items():
        if name in before and repr(now) != repr(before[name]):
            part = _changed_part(before[name], now)
            if is_known(part) or (isinstance(part, Instance) and not part.is_closed):
                yield name, part


def _changed_part(before: object, now: object) -> object:
    """Return the description of an object with only those attributes and elements that differ."""
    if not isinstance(before, Instance) or not isinstance(now, Instance):
        return now
    known = {name: repr(one) for name, one in before.attributes}
    changed = tuple((name, one) for name, one in now.attributes if repr(one) != known.get(name))
    is_alike = repr(now.elements) == repr(before.elements)
    return Instance(now.kind, changed, None if is_alike else now.elements)


def is_mutable(value: object) -> bool:
    """Say whether a call may change a value."""
    return not isinstance(value, (type(None), bool, int, float, complex, str, bytes, tuple, type))


def alike_of(
    unit: Unit,
    value: object,
    told: object,
    given: Mapping[str, Any],
    after: Mapping[str, object],
) -> Alike | None:
    """Return what looks like a mutable value: the object itself, or one of another class.

    What holds further containers may be any argument: it was copied in depth.  `told` describes the
    value, and `after` what was given.
    """
    is_called = unit.kind in (Kind.FUNCTION, Kind.METHOD)
    is_named = unit.operator is None or unit.name.endswith("copy__")
    if not is_called or not is_named or unit.flavour not in _GIVING:
        return None
    own, inside = class_of(value), islice(parts_of(told), 1, None)
    is_deep = any(isinstance(one, (list, dict, set)) for one in inside)
    for name, look in after.items():
        has_own = type(given[name]) is not type(value) and not own.name.startswith("_")
        is_other = given[name] is not value and (has_own or is_deep or name == "self")
        if is_other and repr(look) == repr(told):
            return Alike(name, own if has_own else None)
    return None
