"""Relations between units that names and types suggest: real oracles, once they are confirmed.

- round trip: ``decode(encode(x)) == x``
- idempotent: ``clean(clean(x)) == clean(x)``
- equivalent: ``a.union(b) == a | b``
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.units.operators import OPERATORS
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit


class Relates(Enum):
    """What two calls have to do with one another."""

    ROUND_TRIP = "round trip"
    IDEMPOTENT = "idempotent"
    EQUIVALENT = "equivalent"


@dataclass(frozen=True)
class Relation:
    """A relation between the results of two units, which may be the same unit."""

    kind: Relates
    first: Unit
    second: Unit

    @property
    def of_object(self) -> bool:
        """Say whether it is an object that goes and comes back: ``from_text(x.to_text()) == x``."""
        return bool(self.first.owner) and not self.second.owner


_OPPOSITES = {
    "encode": "decode",
    "dumps": "loads",
    "to": "from",
    "as": "from",
    "format": "parse",
    "unparse": "parse",
    "pack": "unpack",
    "quote": "unquote",
    "escape": "unescape",
    "serialize": "deserialize",
    "compress": "decompress",
    "encrypt": "decrypt",
    "flatten": "unflatten",
}
"""Words of names: what the second makes of the result of the first is what was given to it."""

_BETWEEN = re.compile(r"(?P<one>\w+?)(?P<to>_?(?:to|2)_?)(?P<other>\w+)")
"""Names such as ``rgb_to_hsv``."""

_ONCE = re.compile(
    r"""(?:.*_)?(?: canonicali[sz]e | clean(?:up)? | collapse | dedent | deduplicate | normali[sz]e
    | saniti[sz]e | simplify | slugify | squeeze | standardi[sz]e | strip | tidy | trim | unique
    | (?:lower|upper)(?:case)? )(?:_.*)?""",
    re.VERBOSE,
)
"""Names of functions for which doing it again changes nothing."""

_SETS = ({1}, {2}), ({1, 2}, {2, 3}), ({1}, {1, 2}), ({1, 2}, {1}), ({1}, {1})
"""Pairs of sets that tell all operators of sets apart."""


def relations_of(units: Mapping[str, Unit]) -> Iterator[Relation]:
    """Yield the relations that names and types suggest, in the order of the units."""
    for unit in units.values():
        if unit.flavour is not Flavour.PLAIN:
            continue
        if _takes_one(unit) and _ONCE.fullmatch(_last(unit)):
            yield Relation(Relates.IDEMPOTENT, unit, unit)
        for special in _operators_like(_last(unit)) if unit.owner else ():
            if (same := units.get(f"{unit.owner}.{special}")) is not None:
                yield Relation(Relates.EQUIVALENT, unit, same)
        for name in _names_of_inverses(_last(unit)):
            inverse = units.get(f"{unit.key.removesuffix(_last(unit))}{name}")
            if inverse is not None and _is_inverse(unit, inverse):
                yield Relation(Relates.ROUND_TRIP, unit, inverse)


def _is_inverse(unit: Unit, inverse: Unit) -> bool:
    """Say whether a unit gives one value of one, which the other one can take back."""
    if not _takes_one(inverse) or unit.kind is Kind.CLASS:
        return False
    return not _required(unit) if unit.owner and not inverse.owner else _takes_one(unit)


def _takes_one(unit: Unit) -> bool:
    return _required(unit) == 1 and unit.kind in (Kind.FUNCTION, Kind.METHOD)


def _required(unit: Unit) -> int:
    return sum(one.is_required for one in unit.parameters)


def _last(unit: Unit) -> str:
    return unit.name.rpartition(".")[2]


def _operators_like(name: str) -> Iterator[str]:
    """Yield the operators that give for sets of Python what the method of this name gives."""
    for special, operator in OPERATORS.items() if name not in OPERATORS else ():
        is_of_sets = operator.is_between_equals and hasattr(set, special)
        is_of_sets = is_of_sets and not operator.is_statement
        if is_of_sets and all(_result(name, *one) == operator.call(*one) for one in _SETS):
            yield special


def _result(name: str, numbers: set[int], others: set[int]) -> object:
    try:
        return getattr(set(numbers), name)(others)
    except (AttributeError, TypeError, LookupError):
        return None


def _names_of_inverses(name: str) -> Iterator[str]:
    words = name.split("_")
    for there, back in _OPPOSITES.items():
        if there in words:
            yield "_".join(back if word == there else word for word in words)
    found = _BETWEEN.fullmatch(name)
    if found is not None and found["one"] < found["other"]:  # one of both directions is enough
        yield f"{found['other']}{found['to']}{found['one']}"
