from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.failed_variants import LONGEST
from pytest_evosearch.minimize.failed_variants import FailedVariants
from pytest_evosearch.minimize.failed_variants import Variant
from pytest_evosearch.minimize.failed_variants import variant_of
from pytest_evosearch.minimize.shortening import SIMPLEST
from pytest_evosearch.minimize.shortening import minimize_individual
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene

NUMBER = "4242-4242"


def paying(number: str, coupon: str = "SPRING") -> Individual:
    """Return a test that pays with a card and a coupon."""
    inputs = tuple(
        Input(Location.FORM, name, TextGene(current=value))
        for name, value in (("number", number), ("coupon", coupon))
    )
    return Individual((Call("POST /pay", inputs, 1),))


def sent(individual: Individual) -> dict[str, object]:
    return {given.name: given.gene.value() for given in individual.calls[-1].inputs}


class Counting:
    """A callback that counts its calls."""

    def __init__(self, keeps: Callable[[dict[str, object]], bool]) -> None:
        self.keeps = keeps
        self.calls = 0

    def __call__(self, individual: Individual) -> bool:
        self.calls += 1
        return self.keeps(sent(individual))


def with_number(values: dict[str, object]) -> bool:
    return values.get("number") == NUMBER


def test_what_failed_in_one_test_is_not_tried_in_another_beyond_the_simplest() -> None:
    failed = FailedVariants()
    first, second = Counting(with_number), Counting(with_number)
    found = minimize_individual(paying(NUMBER, ""), first, 1000, failed=failed)
    again = minimize_individual(paying(NUMBER, ""), second, 1000, failed=failed)
    assert sent(found) == sent(again) == {"number": NUMBER}
    variants = len(list(TextGene(current=NUMBER).simpler()))
    assert first.calls - second.calls == variants - SIMPLEST


def test_a_test_that_does_not_need_the_value_gets_the_simplest_all_the_same() -> None:
    failed = FailedVariants()
    minimize_individual(paying(NUMBER), lambda one: one == paying(NUMBER), 1000, failed=failed)
    alone = minimize_individual(paying(NUMBER), sends_both, 1000)
    after = minimize_individual(paying(NUMBER), sends_both, 1000, failed=failed)
    assert sent(after) == sent(alone)
    assert NUMBER not in sent(after).values()


def sends_both(individual: Individual) -> bool:
    return len(individual.calls[0].inputs) == 2


def test_no_variant_is_tried_twice_in_a_round_though_another_value_has_changed() -> None:
    tried: list[tuple[object, object]] = []

    def keeps(values: dict[str, object]) -> bool:
        tried.append((values.get("number"), values.get("coupon")))
        return values.get("number") == NUMBER and len(str(values.get("coupon", ""))) >= 2

    minimize_individual(paying(NUMBER, "SPRING"), Counting(keeps), 1000)
    numbers = [number for number, _coupon in tried if number not in (None, NUMBER)]
    rounds = max(numbers.count(number) for number in numbers)
    assert rounds == 2  # the coupon has changed in the first
    coupons = {coupon for number, coupon in tried if number == numbers[0]}
    assert len(coupons) == rounds


def variant(number: str = "a", after: str = "", name: str = "number") -> Variant | None:
    given = Input(Location.FORM, name, TextGene(current=number))
    act = Call("POST /pay", (given,), 1)
    return variant_of(act, True, given, TextGene(current=after))


def test_what_did_for_one_test_is_tried_again_though_it_failed_in_others() -> None:
    one = variant()
    assert one is not None
    failed = FailedVariants()
    assert one not in failed
    failed.note({one: False})
    assert one in failed
    failed.note({one: True})
    assert one not in failed
    failed.note({one: False})
    assert one not in failed


def test_places_are_told_apart() -> None:
    given = Input(Location.FORM, "number", TextGene(current="a"))
    simpler = TextGene(current="")
    refund, pay = Call("POST /refund", (given,), 1), Call("POST /pay", (given,), 1)
    names = {
        variant(),
        variant(number="b"),
        variant(after="c"),
        variant(name="coupon"),
        variant_of(refund, True, given, simpler),
        variant_of(pay, False, given, simpler),
    }
    assert len(names) == 6
    assert None not in names


def in_document(**values: str) -> Gene:
    return ObjectGene(tuple(Field(name, TextGene(current=one)) for name, one in values.items()))


def test_of_a_document_the_value_that_differs_counts() -> None:
    def named(before: Gene, after: Gene) -> Variant | None:
        given = Input(Location.JSON, "", before)
        return variant_of(Call("POST /pay", (given,), 1), True, given, after)

    one = named(in_document(card="42", until="1/30"), in_document(card="4", until="1/30"))
    assert one is not None
    assert (one.path, one.before, one.after) == (("card",), "'42'", "'4'")
    assert one == named(in_document(card="42", until="2/31"), in_document(card="4", until="2/31"))
    assert named(in_document(card="42", until="1/30"), in_document(card="", until="")) is None
    assert named(in_document(card="42", until="1/30"), in_document(card="42")) is None


@pytest.mark.parametrize(
    "gene",
    [TextGene(current="a" * LONGEST), LinkGene(1, ("id",), TextGene(current="1"))],
    ids=["long", "link"],
)
def test_long_values_and_links_are_not_remembered(gene: Gene) -> None:
    given = Input(Location.FORM, "number", gene)
    act = Call("POST /pay", (given,), 1)
    assert variant_of(act, True, given, TextGene(current="")) is None


@pytest.mark.parametrize("end", range(4, 14))
def test_what_was_not_tried_any_more_has_not_failed(end: int) -> None:
    failed = FailedVariants()
    tried = []
    time = 0

    def never(individual: Individual) -> bool:
        nonlocal time
        time += 1
        if time < end:
            tried.append(sent(individual).get("number"))
        return False

    minimize_individual(paying(NUMBER), never, 1000, frozenset(), failed, lambda: time >= end)
    variants = [one.value() for one in TextGene(current=NUMBER).simpler()]
    known = {one for one in variants if variant(NUMBER, str(one)) in failed}
    assert known == {one for one in tried if one not in (None, NUMBER)}
