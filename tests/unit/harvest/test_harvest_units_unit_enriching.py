"""Which tests say more, from scripted executions of a cart into which things are put."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

import pytest

from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.units import unit_enriching
from pytest_evosearch.harvest.units.made_objects import MadeObjects
from pytest_evosearch.harvest.units.unit_enriching import NO_DUTY
from pytest_evosearch.harvest.units.unit_enriching import Enriching
from pytest_evosearch.harvest.units.unit_enriching import without_repeated
from pytest_evosearch.harvest.units.weighed_tests import Weighed
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

UNITS = {
    "shop:Cart": Unit("shop", "Cart", Kind.CLASS),
    "shop:Cart.add": Unit("shop", "Cart.add", Kind.METHOD),
    "shop:Cart.names": Unit("shop", "Cart.names", Kind.METHOD),
    "shop:Cart.price": Unit("shop", "Cart.price", Kind.METHOD),
}

CODE = f"{STATUS} shop returned empty", "branch shop.py:1 true"


def cart(act: str, *names: str, fee: int | None = None, **texts: str) -> UnitTest:
    """Return a test of a cart with a fee, into which names were put."""
    own = OptionalGene(IntegerGene(current=fee or 0), fee is not None)
    made = UnitCall("shop:Cart", (("fee", own),))
    added = (UnitCall("shop:Cart.add", (("name", TextGene(current=one)),)) for one in names)
    given = tuple((name, TextGene(current=one)) for name, one in texts.items())
    return UnitTest((made, *added, UnitCall(f"shop:Cart.{act}", given)))


def executed(test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
    """Return the names of a cart, its fee, or an error for a name that it does not hold."""
    names = [str(call.values()["name"]) for call in test.calls[1:-1]]
    fee = test.calls[0].values().get("fee", 0)
    name = test.act.values().get("name")
    results = [Result(End.RETURNED, 1)] * (len(test) - 1)
    if test.act.unit.endswith("price") and name and name not in names:
        raised = Raised(Named("builtins", "KeyError"), "name")
        covered = frozenset({f"{STATUS} shop raised KeyError"})
        return Run([*results, Result(End.RAISED, raised=raised)]), covered
    value = names if test.act.unit.endswith("names") else fee
    return Run([*results, Result(End.RETURNED, value)]), frozenset(CODE)


class Detected:
    """Detects one change by any test, and another one by a result that is not empty."""

    def __init__(self, hollow: Sequence[UnitTest] = ()) -> None:
        self._hollow = hollow

    def powers(self, tests: Mapping[UnitTest, object]) -> dict[UnitTest, frozenset[str]]:
        ends = {test: executed(test, apart=False)[0].results[-1] for test in tests}
        return {
            test: frozenset({"return", *(["value"] if end.value else [])})
            for test, end in ends.items()
        }

    def hollow(self, tests: Iterable[UnitTest]) -> frozenset[UnitTest]:
        return frozenset(one for one in tests if one in self._hollow)

    def strengthened(self, _chosen: object, _further: object) -> list[UnitTest]:
        return []


def enriched(
    *tests: UnitTest,
    known: Sequence[UnitTest] = (),
    unsure: Sequence[tuple[int, int]] = (),
    hollow: Sequence[UnitTest] = (),
) -> list[UnitTest]:
    def doubtful(test: UnitTest) -> list[tuple[int, int]]:
        genes = dict(test.genes())
        return [one for one in unsure if one in genes and genes[one].value() is not ABSENT]

    made = MadeObjects(known, UNITS, executed)
    work = Enriching(Detected(hollow), executed, lambda: False, UNITS, known, doubtful, made)
    covered = {test: executed(test, apart=False)[1] for test in tests}
    return list(work.enriched({test: (one, one) for test, one in covered.items()}))


def test_an_object_gets_an_option_with_which_more_changes_are_detected() -> None:
    (test,) = enriched(cart("price"))

    assert test.calls[0].values()["fee"]


def test_something_is_put_into_an_object_before_the_tested_call() -> None:
    (test,) = enriched(cart("names"), known=[cart("names", "sale")])

    assert [call.unit for call in test.calls] == ["shop:Cart", "shop:Cart.add", "shop:Cart.names"]


def test_what_is_asked_for_is_put_into_an_object() -> None:
    tests = enriched(cart("price", fee=3, name="hat"), known=[cart("names", "sale")])

    found = [executed(one, apart=False)[0].results[-1].end for one in tests]
    assert found == [End.RAISED, End.RETURNED]


def test_a_call_on_the_way_without_which_a_test_says_as_much_goes() -> None:
    assert enriched(cart("names", "sale", "hat")) == [cart("names", "hat")]


def test_tests_that_say_nothing_new_go_and_nothing_is_left_where_no_change_is_detected() -> None:
    assert enriched(cart("price"), cart("price", fee=3)) == [cart("price", fee=3)]


def test_an_argument_of_unknown_type_that_is_not_used_leaves_no_test() -> None:
    odd = cart("names", "sale", text="b")

    assert enriched(odd, unsure=[(2, 0)]) == []
    assert enriched(odd) == [odd]


def test_an_option_without_which_a_test_says_as_much_goes() -> None:
    (test,) = enriched(cart("names", "sale", fee=3))

    assert "fee" not in test.calls[0].values()


def test_a_call_on_the_way_goes_though_other_changes_are_tried_without_it() -> None:
    """The changes that are tried depend on all tests that are weighed at once."""

    class Sampled(Detected):
        def powers(self, tests: Mapping[UnitTest, object]) -> dict[UnitTest, frozenset[str]]:
            sample = min(len(one.calls) for one in tests)
            return {one: frozenset({f"change {sample}"}) for one in tests}

    def nothing(_test: UnitTest) -> list[tuple[int, int]]:
        return []

    long = cart("names", "sale", "hat")
    made = MadeObjects([], UNITS, executed)
    work = Enriching(Sampled(), executed, lambda: False, UNITS, [], nothing, made)
    covered = executed(long, apart=False)[1]

    assert list(work.enriched({long: (covered, covered)})) == [cart("names", "hat")]


def test_variants_are_weighed_as_long_as_the_share_of_their_unit_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unit_enriching, "MOST_WEIGHED", 1)

    assert enriched(cart("price"), cart("names")) == [cart("price"), cart("names")]
    assert enriched(cart("price")) != [cart("price")]


def test_a_test_that_passes_without_the_tested_body_goes_though_it_alone_covers_code() -> None:
    trivial, fuller = cart("price", fee=3), cart("names", "sale")

    assert enriched(trivial, fuller, hollow=[trivial]) == [fuller]


def weighed(number: int, *changes: str, is_trivial: bool = False) -> Weighed:
    test = UnitTest((UnitCall("shop:shipping", (("weight", IntegerGene(current=number)),)),))
    covered = frozenset({f"branch shop.py:{number} true"})
    return Weighed(test, frozenset(changes), Result(End.RETURNED, number), covered, is_trivial)


def test_a_case_in_which_a_function_gives_what_it_got_needs_a_test_of_its_body() -> None:
    case, telling = weighed(0, "change 1", is_trivial=True), weighed(7, "change 2")
    idle = weighed(3, is_trivial=True)

    def kept(*tests: Weighed) -> list[UnitTest]:
        needed = frozenset().union(*(one.covered for one in tests))
        return without_repeated({one.test: one for one in tests}, needed, lambda _one: False)

    assert kept(case, telling) == [case.test, telling.test]
    assert kept(case) == []
    assert kept(idle, telling) == [telling.test]


def test_a_fuller_variant_takes_the_place_of_a_test_that_passes_without_the_tested_body() -> None:
    trivial = cart("names")

    (test,) = enriched(trivial, known=[cart("names", "sale")], hollow=[trivial])

    assert len(test) == 3


def test_trivial_tests_go_also_when_time_is_over() -> None:
    trivial, telling = cart("names"), cart("price", fee=3)
    changes, made = Detected([trivial]), MadeObjects([], UNITS, executed)
    work = Enriching(changes, executed, lambda: True, UNITS, [], lambda _test: (), made)

    assert list(work.enriched(dict.fromkeys((trivial, telling), NO_DUTY))) == [telling]
