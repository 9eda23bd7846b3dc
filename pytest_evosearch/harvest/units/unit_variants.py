"""Variants of tests: with something in an object, or without what a test does not need."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.minimize.ordinary import FRACTIONS
from pytest_evosearch.minimize.ordinary import NUMBERS
from pytest_evosearch.minimize.ordinary import TEXTS
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.problem.units.hinted_genes import is_unknown
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

Unsure = Callable[[UnitTest], Sequence[tuple[int, int]]]
"""Returns the places of arguments whose types nothing shows."""

MOST_METHODS = 12
"""Most methods of a class that are tried before the tested one."""


def is_empty(test: UnitTest) -> bool:
    """Say whether an object is made of nothing, and nothing was put into it."""
    return len(test) <= 2 and not any(test.calls[0].values().values())


def shorter_variants(test: UnitTest) -> Iterator[UnitTest]:
    """Yield variants without a call on the way, or without an option, also one of an argument.

    Nothing becomes empty by it that was not.
    """
    yield from test.shorter()
    for place, gene in test.genes():
        for path, leaf in walk(gene):
            if leaf.is_optional and leaf.value() is not ABSENT:
                bare = test.with_gene(place, replaced(gene, path, leaf.left_out()))
                if is_empty(test) or not is_empty(bare):
                    yield bare


def filled(leaf: Gene, number: int) -> Gene | None:
    """Return an optional gene with an ordinary value; None where its type is not known."""
    inside = leaf.with_all_present().sent()
    if is_unknown(inside):
        return None
    at = number % len(NUMBERS)
    ordinary = (*NUMBERS[at:], *NUMBERS[:at], FRACTIONS[at % len(FRACTIONS)], TEXTS[0])
    values = (one for one in ordinary if type(one) is type(inside.value()))
    adopted = next(filter(None, map(leaf.adopt, values)), None)
    return adopted or leaf.adopt(inside.value())


def calls_of(
    known: Iterable[UnitTest], units: Mapping[str, Unit], unsure: Unsure
) -> dict[str, list[UnitCall]]:
    """Return the shortest call of each method that takes something, by classes."""
    found: dict[str, UnitCall] = {}
    for call in (call for test in known for call in test.calls[1:]):
        values = call.values()
        is_worth = any(values.values()) and units[call.unit].operator is None
        is_worth = is_worth and not unsure(UnitTest((call,)))
        if is_worth and (
            call.unit not in found or len(repr(values)) < len(repr(found[call.unit].values()))
        ):
            found[call.unit] = call
    grouped: dict[str, list[UnitCall]] = {}
    for key in units:
        if key in found and len(grouped.get(units[key].owner, ())) < MOST_METHODS:
            (plain,) = next(ordinary_variants(UnitTest((found[key],)))).calls
            grouped.setdefault(units[key].owner, []).append(plain)
    return grouped


def makers_of(known: Iterable[UnitTest], units: Mapping[str, Unit]) -> dict[str, list[UnitTest]]:
    """Return the calls of each class or function, also before a method, without options."""
    found: dict[str, dict[str, UnitTest]] = {}
    for test in known:
        maker = UnitTest(test.calls[:1]).bare()
        if not units[maker.act.unit].owner:
            found.setdefault(maker.act.unit, {})[repr(maker.sent())] = maker
    return {key: [*tests.values()] for key, tests in found.items()}


def echoing(call: UnitCall, act: UnitCall) -> UnitCall:
    """Return a call that passes what the tested call passes, where it is of the same type."""
    given = [one for one in act.values().values() if isinstance(one, (str, int)) and one]
    arguments = []
    for name, gene in call.arguments:
        is_alike = (one for one in given if type(one) is type(gene.value()))
        arguments.append((name, next(filter(None, map(gene.adopt, is_alike)), gene)))
    return replace(call, arguments=tuple(arguments))
